//===- NamedSizes.cpp - the sizes that callers pass -----------------------===//

#include "NamedSizes.h"

#include "Notes.h"
#include "Sizes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

/// Returns the names of an argument's dimensions.
static Strings dimsOf(func::FuncOp main, unsigned argument) {
  return notes::dims.get(main, argument).value_or(Strings());
}

/// Returns whether a name is a sum of names and numbers, such as "past + new" or "past + 1".
static bool isSum(StringRef name, const llvm::StringSet<> &names) {
  SmallVector<StringRef> terms;
  name.split(terms, '+');
  bool hasName = false;
  for (StringRef term : terms) {
    uint64_t number;
    bool isName = names.contains(term.trim());
    if (!isName && term.trim().getAsInteger(10, number))
      return false;
    hasName = hasName || isName;
  }
  return hasName && terms.size() > 1;
}

std::vector<NamedSize> heddle::readNamedSizes(func::FuncOp main, const Sizes &sizes) {
  llvm::StringSet<> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    for (StringRef name : dimsOf(main, i))
      names.insert(name);
  std::vector<NamedSize> read;
  auto isKnown = [&](StringRef name) {
    return llvm::any_of(read, [&](const NamedSize &known) { return known.name == name; });
  };
  auto addRange = [&](unsigned number) {
    const SizeRange &range = sizes.all()[number];
    read.push_back({range.name.str(), "", range.low, range.high, number});
  };
  auto addNamesOf = [&](unsigned argument) {
    auto memref = dyn_cast<MemRefType>(main.getArgumentTypes()[argument]);
    if (!memref)
      return;
    Strings dims = dimsOf(main, argument);
    for (auto [name, extent] : llvm::zip(dims, memref.getShape())) {
      if (name.empty() || isKnown(name))
        continue;
      std::optional<int64_t> number = sizes.find(name);
      if (number && size_t(*number) < sizes.all().size())
        addRange(unsigned(*number));
      else if (sizes.of(extent).isFixed() && !isSum(name, names))
        read.push_back({name.str(), "", extent, extent, std::nullopt});
    }
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (!notes::result.has(main, i))
      addNamesOf(i);
  for (auto [number, range] : llvm::enumerate(sizes.all()))
    if (!isKnown(range.name))
      addRange(unsigned(number));
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (notes::result.has(main, i))
      addNamesOf(i);
  return read;
}
