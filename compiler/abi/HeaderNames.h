//===- HeaderNames.h - identifiers and macros of a header -------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERNAMES_H
#define HEDDLE_ABI_HEADERNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace heddle {

/// What stands behind NAME_ in the macros of a size and of a tensor with this identifier.
std::string leastMacro(llvm::StringRef identifier);
std::string mostMacro(llvm::StringRef identifier);
std::string classesMacro(llvm::StringRef identifier);
std::string elementsMacro(llvm::StringRef identifier);
/// The same of the one that every header has.
inline constexpr llvm::StringLiteral arenaMacro = "MAX_ARENA_SIZE";

/// Chooses the identifiers of sizes and tensors, members and parameters at once. No two are the same or have macros of
/// one name, and none is what a header calls a parameter or macro of its own. Which macros a header has in the end does
/// not matter: a name must not depend on which sizes lie in ranges.
class HeaderNames {
public:
  HeaderNames();
  /// A number makes unique what is not.
  std::string addSize(llvm::StringRef name);
  std::string addTensor(llvm::StringRef name);

private:
  using Macro = std::string (*)(llvm::StringRef identifier);
  std::string add(llvm::StringRef name, llvm::ArrayRef<Macro> ofIdentifier);

  llvm::StringSet<> identifiers, macros;
};

} // namespace heddle

#endif // HEDDLE_ABI_HEADERNAMES_H
