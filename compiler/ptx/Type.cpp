//===- Type.cpp - operand types of PTX instructions -----------------------===//

#include "Type.h"

using namespace heddle::ptx;

std::optional<Type> heddle::ptx::parseType(llvm::StringRef word) {
  if (word == "pred")
    return Type{Type::Predicate, 0};
  bool pair = word.consume_back("x2");
  Type::Kind kind;
  if (word.consume_front("bf"))
    kind = Type::BFloat;
  else if (word.consume_front("b"))
    kind = Type::Bits;
  else if (word.consume_front("u"))
    kind = Type::Unsigned;
  else if (word.consume_front("s"))
    kind = Type::Signed;
  else if (word.consume_front("f"))
    kind = Type::Float;
  else
    return std::nullopt;
  unsigned bits;
  if (word.getAsInteger(10, bits) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return std::nullopt;
  if ((kind == Type::Float && bits == 8) || (kind == Type::BFloat && bits != 16) ||
      (pair && (bits != 16 || kind == Type::Bits)))
    return std::nullopt;
  return Type{kind, uint8_t(bits / 8 * (pair ? 2 : 1)), pair};
}
