//===- Lexer.h - splits PTX into tokens -------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LEXER_H
#define HEDDLE_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace heddle::ptx {

/// A token of a PTX text.
struct Token {
  /// End: the end of the text. Mark: a punctuation character, such as ",". Wrong: no token begins here.
  enum Kind { End, Word, Number, String, Mark, Wrong };
  Kind kind = End;
  /// The text as written; for a string, the text between its quotes. If `kind` is Wrong, the text that is not a token.
  llvm::StringRef text;
  unsigned line = 0; // the line in which the token begins; the first line is 1
  /// The value of an integer, or the bits of a float. A float is written in hexadecimal: "0f3F800000" has 4 bytes.
  uint64_t value = 0;
  unsigned floatBytes = 0; // the size of a float in bytes; 0 for an integer

  bool is(llvm::StringRef mark) const { return kind == Mark && text == mark; }
  bool isWord(llvm::StringRef word) const { return kind == Word && text == word; }
};

/// Splits a text into tokens. A word may contain dots and pairs of colons: ".shared", "ld.global.L1::evict_last.b32",
/// "%tid.x".
class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : rest(text) {}

  /// Returns the next token; at the end of the text, a token of kind End.
  Token next();

private:
  /// Skips spaces and comments.
  void skip();
  Token take(Token::Kind kind, size_t length);
  Token takeNumber();
  Token takeWord();

  llvm::StringRef rest; // the text that follows the last token
  unsigned line = 1;    // the line in which `rest` begins
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LEXER_H
