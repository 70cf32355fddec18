//===- Lexer.h - splits PTX into tokens -------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LEXER_H
#define HEDDLE_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace heddle::ptx {

struct Token {
  enum Kind { End, Word, Number, String, Mark, Wrong }; // a Mark is a punctuation character, such as ","
  Kind kind = End;
  /// The text as written; for a string, the text between its quotes. If `kind` is Wrong, no token can begin with this
  /// text.
  llvm::StringRef text;
  unsigned line = 0;
  /// The bits of a number: an integer, or a float of the size in which it is written ("0f3F800000" has 4 bytes).
  uint64_t value = 0;
  unsigned floatBytes = 0; // the size of a float; 0 for an integer

  bool is(llvm::StringRef mark) const { return kind == Mark && text == mark; }
  bool isWord(llvm::StringRef word) const { return kind == Word && text == word; }
};

/// Splits a text into tokens. A word may contain dots and pairs of colons: ".shared", "ld.global.L1::evict_last.b32",
/// "%tid.x".
class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : rest(text) {}

  Token next();

private:
  /// Skips spaces and comments.
  void skip();
  Token take(Token::Kind kind, size_t length);
  Token takeNumber();
  Token takeWord();

  llvm::StringRef rest;
  unsigned line = 1;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LEXER_H
