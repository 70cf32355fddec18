//===- Type.h - operand types of PTX instructions ---------------*- C++ -*-===//

#ifndef HEDDLE_PTX_TYPE_H
#define HEDDLE_PTX_TYPE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace heddle::ptx {

/// The type of an instruction's operands. For example, ".u32" is {Unsigned, 4}.
struct Type {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Predicate };
  Kind kind = Bits;
  /// The size of the whole operand in bytes: 4 for ".f16x2", 0 for a predicate.
  uint8_t bytes = 0;
  /// Whether the operand consists of two numbers, like ".f16x2".
  bool pair = false;

  bool isInteger() const { return kind <= Signed; }
  bool isFloat() const { return kind == Float || kind == BFloat; }
  bool isSigned() const { return kind == Signed; }
  bool is(Kind other, unsigned size) const { return kind == other && bytes == size && !pair; }
};

/// Returns the type that a word (without its dot) names, or nothing if it is not the name of a type.
std::optional<Type> parseType(llvm::StringRef word);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_TYPE_H
