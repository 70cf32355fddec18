//===- Identifier.h - names that C and C++ take -----------------*- C++ -*-===//

#ifndef HEDDLE_IDENTIFIER_H
#define HEDDLE_IDENTIFIER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// Whether C and C++ leave it free as the name of a library: no keyword of either, no macro of theirs, nothing that
/// they, the headers stddef.h and stdint.h, or Heddle's own headers reserve.
bool isIdentifier(llvm::StringRef name);

/// The text as an identifier: letters, digits and '_', a '_' before a digit in front and behind what is taken, an 'x'
/// before what is reserved by how it begins.
std::string makeIdentifier(llvm::StringRef text);

/// The same for members and parameters. Names in capitals belong to macros, of whatever header a program includes: such
/// a text is in lower case, but for a letter alone.
std::string makeMemberName(llvm::StringRef text);

/// The function of libc or libm that a library would define once more whose functions are NAME, NAME_init and so
/// on; nothing if there is none.
std::optional<std::string> findLibcFunction(llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_IDENTIFIER_H
