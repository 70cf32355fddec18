//===- Identifier.h - names that are valid in C and C++ ---------*- C++ -*-===//

#ifndef HEDDLE_IDENTIFIER_H
#define HEDDLE_IDENTIFIER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// Whether `name` can be the name of a library in C and C++: an identifier that does not begin with '_' and that is not
/// a keyword or predefined name of the languages, a macro of a C or POSIX header, a name in stddef.h or stdint.h, a
/// name that Heddle's own headers may use (`heddle` and `heddle_...`, ignoring case), or a prefix of the macros of
/// <float.h> (`flt`, `dbl`, `ldbl`).
bool isIdentifier(llvm::StringRef name);

/// Converts text to an identifier: replaces each character that is not a letter or a digit by '_', puts a '_' before a
/// leading digit and after a keyword or another reserved name, and an 'x' before a name that is reserved because of its
/// first characters. isIdentifier may still reject the result as the name of a library: it may begin with '_', or be a
/// name that Heddle's own headers may use.
std::string makeIdentifier(llvm::StringRef text);

/// Converts text to an identifier for members and parameters, as makeIdentifier does. A name with several capitals and
/// no lower-case letters is also converted to lower case, because a header that a program includes might define a macro
/// of this name.
std::string makeMemberName(llvm::StringRef text);

/// If a library whose functions are called NAME, NAME_init and so on would redefine a function of libc or libm, returns
/// the name of that function; otherwise nothing.
std::optional<std::string> findLibcFunction(llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_IDENTIFIER_H
