//===- HeaderNames.h - identifiers and macros of a header -------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERNAMES_H
#define HEDDLE_ABI_HEADERNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace heddle {

/// These functions return the part after NAME_ of the macros for a size or a tensor with this identifier.
std::string minMacro(llvm::StringRef identifier);
std::string maxMacro(llvm::StringRef identifier);
std::string classesMacro(llvm::StringRef identifier);
std::string elementsMacro(llvm::StringRef identifier);
/// The part after NAME_ of the macro for the size of the largest arena, which every header defines.
inline constexpr llvm::StringLiteral arenaMacro = "MAX_ARENA_SIZE";

/// Chooses the identifiers of sizes and tensors, which are names of members and parameters. The identifiers and the
/// macros made from them are unique, and differ from the parameters and macros that every header contains. Reserves all
/// macros that a header might define for an identifier, because identifiers must not depend on which sizes lie in
/// ranges.
class HeaderNames {
public:
  HeaderNames();
  /// Adds a size or a tensor, and returns the identifier, which ends with a number if it would not be unique otherwise.
  std::string addSize(llvm::StringRef name);
  std::string addTensor(llvm::StringRef name);

private:
  using Macro = std::string (*)(llvm::StringRef identifier);
  /// Reserves an identifier for `name`, and the macros that the functions `ofIdentifier` make from the identifier.
  std::string add(llvm::StringRef name, llvm::ArrayRef<Macro> ofIdentifier);

  llvm::StringSet<> identifiers, macros;
};

} // namespace heddle

#endif // HEDDLE_ABI_HEADERNAMES_H
