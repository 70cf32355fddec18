//===- Identifier.cpp - names that are valid in C and C++ -----------------===//

#include "heddle/Identifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <csignal>
#include <cstring>
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
      // Predefined macros of gcc and clang, names of namespaces, and the function that starts a program.
      "i386", "linux", "main", "posix", "std", "unix"};
  return set;
}

/// Whether stddef.h or stdint.h, which a library's generated header includes, defines the name.
static bool isInHeaders(StringRef name) {
  static const llvm::Regex pattern("^((u?int((_least|_fast)?[0-9]+|ptr|max)|size|ptrdiff|max_align|nullptr)_t|"
                                   "NULL|offsetof|unreachable|"
                                   "(U?INT[A-Z0-9_]*|SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC)_(MAX|MIN|WIDTH|C))$");
  return pattern.match(name);
}

/// Whether the name is a macro of a C or POSIX header and contains lower-case letters. A program may include any of
/// these headers before the header of a library.
static bool isMacro(StringRef name) {
  static const llvm::Regex pattern(
      "^(alloca|assert|atomic_.*|[bl]e(16|32|64)toh|hto[bl]e(16|32|64)|basename|complex|d_fileno|errno|fpclassify|"
      "h_addr|h_errno|if[acr]_.*|imaginary|is(finite|inf|nan|normal|(less|greater)(equal)?|lessgreater|unordered)|"
      "kill_dependency|major|makedev|math_errhandling|minor|msg_cbytes|noreturn|s6_addr[0-9]*|sa_(handler|sigaction)|"
      "sched_priority|si_.*|sigev_notify_.*|signbit|st_[acm]time|std(err|in|out)|strn?dupa|"
      "timer(add|clear|cmp|isset|sub)|va_(arg|copy|end|start)|[AP]F_DECnet|L_(ctermid|cuserid|tmpnam)|"
      "M_[A-Z0-9_]+(l|f[0-9]*x?)|P_tmpdir|(PRI|SCN)[a-z][A-Z0-9]+)$");
  return pattern.match(name);
}

/// Whether the name is a standard macro of C or of <termios.h> (B9600) without lower-case letters, or the name of an
/// error or a signal.
static bool isCapitalMacro(StringRef name) {
  static const llvm::Regex pattern(
      "^(B[0-9]+|BUFSIZ|CLOCKS_PER_SEC|CMPLX[FL]?|EOF|I|INFINITY|NAN|NDEBUG|WEOF|(PRI|SCN)X[A-Z0-9]+|"
      "(ATOMIC|DBL|DEC(32|64|128)|EXIT|FE|FILENAME|FLT|FOPEN|FP|HUGE|LC|LDBL|M|MATH|MB|ONCE|RAND|SEEK|SIG|TIME|TMP|TSS)"
      "_[A-Z0-9_]+|"
      "(BOOL|U?CHAR|SCHAR|U?SHRT|U?L?LONG)_(BIT|MAX|MIN|WIDTH))$");
  if (pattern.match(name))
    return true;
  constexpr int maximum = 256;
  for (int number = 1; number < maximum; ++number) {
    const char *error = strerrorname_np(number), *signal = sigabbrev_np(number);
    StringRef rest = name;
    if ((error && name == error) || (signal && rest.consume_front("SIG") && rest == signal))
      return true;
  }
  return false;
}

/// Whether C, C++, their compilers, or headers of C or POSIX use the name. An identifier must not have such a name.
static bool isTaken(StringRef name) {
  return keywords().contains(name) || isInHeaders(name) || isMacro(name) || isCapitalMacro(name);
}

/// Whether the name looks like a macro: it has at least two capitals and no lower-case letters.
static bool isInCapitals(StringRef name) {
  return llvm::none_of(name, llvm::isLower) && llvm::count_if(name, llvm::isUpper) > 1;
}

/// Whether C and C++ reserve the name in every scope: names like _X and __x.
static bool isReserved(StringRef name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || llvm::isUpper(name[1]));
}

bool isIdentifier(StringRef name) {
  auto fits = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  // Heddle's own macros are in capitals, so the comparison ignores case.
  bool isHeddles = name.equals_insensitive("heddle") || name.starts_with_insensitive("heddle_");
  // The header of a library `flt` with a size `exp` would define FLT_MAX_EXP, the largest `exp`, but this name is a
  // macro of <float.h>.
  bool isFloats = name.equals_insensitive("flt") || name.equals_insensitive("dbl") || name.equals_insensitive("ldbl");
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, fits) && name.front() != '_' &&
         !isTaken(name) && !isHeddles && !isFloats;
}

/// Replaces each character that is not a letter or digit by '_'.
static std::string replaceOthers(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  return name;
}

/// Makes an identifier from `name`, which consists of letters, digits and '_'. Changes it if it is not valid or is
/// taken.
static std::string changeTaken(std::string name) {
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  if (isReserved(name))
    name.insert(name.begin(), 'x');
  if (isTaken(name))
    name += '_';
  return name;
}

std::string makeIdentifier(StringRef text) { return changeTaken(replaceOthers(text)); }

std::string makeMemberName(StringRef text) {
  std::string name = replaceOthers(text);
  return changeTaken(isInCapitals(name) ? StringRef(name).lower() : name);
}

std::optional<std::string> findLibcFunction(StringRef name) {
  // Search the libraries themselves instead of a list of headers, because a program links whole libraries.
  static void *const libraries[] = {dlopen("libc.so.6", RTLD_LAZY), dlopen("libm.so.6", RTLD_LAZY)};
  for (const char *suffix :
       {"", "_init", "_init_variant", "_variant", "_run", "_arena_size", "_status_text", "_describe"})
    for (void *library : libraries)
      if (std::string function = (name + suffix).str(); library && dlsym(library, function.c_str()))
        return function;
  return std::nullopt;
}

} // namespace heddle
