//===- Lexer.cpp - splits PTX into tokens ---------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace heddle::ptx;

static bool isWordCharacter(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

void Lexer::skip() {
  while (!rest.empty()) {
    size_t length = 0;
    if (isSpace(rest[0]))
      length = 1;
    else if (rest.starts_with("//"))
      length = rest.find('\n');
    else if (rest.starts_with("/*"))
      length = rest.find("*/") == StringRef::npos ? StringRef::npos : rest.find("*/") + 2;
    else
      return;
    line += unsigned(rest.take_front(length).count('\n'));
    rest = rest.drop_front(std::min(length, rest.size()));
  }
}

/// Returns the first `length` characters of the rest as a token, and removes them.
Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, rest.take_front(length), line};
  rest = rest.drop_front(token.text.size());
  return token;
}

Token Lexer::takeNumber() {
  Token token = take(Token::Number, rest.size() - rest.drop_while(isAlnum).size());
  StringRef digits = token.text;
  bool single = digits.starts_with_insensitive("0f"), wide = digits.starts_with_insensitive("0d");
  // "0f" begins a float only if exactly eight hexadecimal digits follow, and "0d" only if sixteen digits follow.
  if ((single && digits.size() == 10) || (wide && digits.size() == 18)) {
    token.floatBytes = single ? 4 : 8;
    if (digits.drop_front(2).getAsInteger(16, token.value))
      token.kind = Token::Wrong;
    return token;
  }
  digits.consume_back("U");
  if (digits.getAsInteger(0, token.value))
    token.kind = Token::Wrong;
  return token;
}

Token Lexer::takeWord() {
  size_t length = 0;
  while (length < rest.size()) {
    if (isWordCharacter(rest[length]))
      ++length;
    else if (rest.substr(length, 2) == "::" && length + 2 < rest.size() && isWordCharacter(rest[length + 2]))
      length += 2;
    else
      break;
  }
  return take(Token::Word, length);
}

Token Lexer::next() {
  skip();
  if (rest.empty())
    return {Token::End, rest, line};
  char c = rest[0];
  if (isDigit(c))
    return takeNumber();
  if (isWordCharacter(c))
    return takeWord();
  if (c == '"') {
    size_t end = rest.find_first_of("\"\n", 1);
    if (end == StringRef::npos || rest[end] != '"')
      return take(Token::Wrong, 1);
    Token token = take(Token::String, end + 1);
    token.text = token.text.drop_front().drop_back();
    return token;
  }
  return take(StringRef("{}[]()<>,;:@!|+-=").contains(c) ? Token::Mark : Token::Wrong, 1);
}
