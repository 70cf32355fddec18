//===- Lexer.h - the words of PTX -------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LEXER_H
#define HEDDLE_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace heddle::ptx {

struct Token {
  enum Kind { End, Word, Number, String, Mark, Wrong };
  Kind kind = End;
  /// As it is written; of a string without its quotes. Wrong: what no token begins with.
  llvm::StringRef text;
  unsigned line = 0;
  /// Of a number its bits: an integer, or a float of the size that it was written in ("0f3F800000": 4 bytes).
  uint64_t value = 0;
  unsigned floatBytes = 0; // 0: an integer

  bool is(llvm::StringRef mark) const { return kind == Mark && text == mark; }
  bool isWord(llvm::StringRef word) const { return kind == Word && text == word; }
};

/// Takes text apart. A word holds dots and pairs of colons: ".shared", "ld.global.L1::evict_last.b32", "%tid.x".
class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : rest(text) {}

  Token next();

private:
  /// Drops spaces and comments.
  void skip();
  Token take(Token::Kind kind, size_t length);
  Token takeNumber();
  Token takeWord();

  llvm::StringRef rest;
  unsigned line = 1;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LEXER_H
