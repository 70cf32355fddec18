//===- Type.h - the types of PTX's instructions -----------------*- C++ -*-===//

#ifndef HEDDLE_PTX_TYPE_H
#define HEDDLE_PTX_TYPE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace heddle::ptx {

/// What an instruction takes its operands for: ".u32" is {Unsigned, 4}.
struct Type {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Predicate };
  Kind kind = Bits;
  /// Of the whole operand: 4 of ".f16x2". A predicate has none.
  uint8_t bytes = 0;
  /// Two numbers in one operand: ".f16x2".
  bool pair = false;

  bool isInteger() const { return kind <= Signed; }
  bool isFloat() const { return kind == Float || kind == BFloat; }
  bool isSigned() const { return kind == Signed; }
  bool is(Kind other, unsigned size) const { return kind == other && bytes == size && !pair; }
};

/// The type that a word means, without its dot; nothing for other words.
std::optional<Type> parseType(llvm::StringRef word);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_TYPE_H
