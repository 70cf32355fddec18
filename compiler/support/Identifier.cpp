//===- Identifier.cpp - names that C and C++ take -------------------------===//

#include "heddle/Identifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <dlfcn.h>

using llvm::StringRef;

namespace heddle {

static const llvm::StringSet<> &keywords() {
  static const llvm::StringSet<> set = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
      "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
      "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "contract_assert", "decltype",
      "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",
      "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
      "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
      "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
      "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
      "typeof", "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
      "xor_eq",
      // Macros of gcc's and clang's on their own, what namespaces are called, and what a program begins with.
      "i386", "linux", "main", "posix", "std", "unix"};
  return set;
}

/// What the headers that a generated one includes define.
static bool isInHeaders(StringRef name) {
  static const llvm::Regex pattern("^((u?int((_least|_fast)?[0-9]+|ptr|max)|size|ptrdiff|max_align|nullptr)_t|"
                                   "NULL|offsetof|unreachable|"
                                   "(U?INT[A-Z0-9_]*|SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC)_(MAX|MIN|WIDTH|C))$");
  return pattern.match(name);
}

static bool isTaken(StringRef name) { return keywords().contains(name) || isInHeaders(name); }

/// Whatever the scope: _X and __x.
static bool isReserved(StringRef name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || llvm::isUpper(name[1]));
}

bool isIdentifier(StringRef name) {
  auto fits = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  bool isHeddles = name == "heddle" || name.starts_with("heddle_");
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, fits) && name.front() != '_' &&
         !isTaken(name) && !isHeddles;
}

std::string makeIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  if (isReserved(name))
    name.insert(name.begin(), 'x');
  if (isTaken(name))
    name += '_';
  return name;
}

std::optional<std::string> findLibcFunction(StringRef name) {
  // Asked of the libraries themselves: a host program may include any of their headers.
  static void *const libraries[] = {dlopen("libc.so.6", RTLD_LAZY), dlopen("libm.so.6", RTLD_LAZY)};
  for (const char *suffix :
       {"", "_init", "_init_variant", "_variant", "_run", "_arena_size", "_status_text", "_describe"})
    for (void *library : libraries)
      if (std::string function = (name + suffix).str(); library && dlsym(library, function.c_str()))
        return function;
  return std::nullopt;
}

} // namespace heddle
