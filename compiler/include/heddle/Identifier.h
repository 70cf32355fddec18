//===- Identifier.h - names that C and C++ take -----------------*- C++ -*-===//

#ifndef HEDDLE_IDENTIFIER_H
#define HEDDLE_IDENTIFIER_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// Whether C and C++ take it as a name: no keyword of either, nothing reserved.
bool isIdentifier(llvm::StringRef name);

/// The text as an identifier: letters, digits and '_', a '_' before a digit in front
/// and behind a keyword.
std::string makeIdentifier(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_IDENTIFIER_H
