//===- HeaderNames.cpp - identifiers and macros of a header ---------------===//

#include "HeaderNames.h"

#include "heddle/Identifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

std::string heddle::minMacro(StringRef identifier) { return "MIN_" + identifier.upper(); }
std::string heddle::maxMacro(StringRef identifier) { return "MAX_" + identifier.upper(); }
std::string heddle::classesMacro(StringRef identifier) { return "CLASSES_" + identifier.upper(); }
std::string heddle::elementsMacro(StringRef identifier) { return identifier.upper() + "_ELEMENTS"; }

HeaderNames::HeaderNames() {
  for (StringRef parameter :
       {"threads", "arena", "arena_size", "executor"}) // parameters that are neither sizes nor tensors
    identifiers.insert(parameter);
  macros.insert(arenaMacro);
}

std::string HeaderNames::add(StringRef name, ArrayRef<Macro> ofIdentifier) {
  std::string first = makeMemberName(name), identifier = first;
  auto isFree = [&] {
    return !identifiers.contains(identifier) &&
           none_of(ofIdentifier, [&](Macro macro) { return macros.contains(macro(identifier)); });
  };
  for (unsigned number = 2; !isFree(); ++number)
    identifier = first + (first.back() == '_' ? "" : "_") + std::to_string(number);
  identifiers.insert(identifier);
  for (Macro macro : ofIdentifier)
    macros.insert(macro(identifier));
  return identifier;
}

std::string HeaderNames::addSize(StringRef name) { return add(name, {minMacro, maxMacro, classesMacro}); }
std::string HeaderNames::addTensor(StringRef name) { return add(name, {elementsMacro}); }
