//===- Bounds.h - value ranges of scalars -----------------------*- C++ -*-===//

#ifndef HEDDLE_PADDING_BOUNDS_H
#define HEDDLE_PADDING_BOUNDS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle {

/// The range of a scalar that is never NaN. Both ends are included, and may be infinite.
struct Bounds {
  double low, high;

  /// The range of valid numbers. Layers are assumed not to overflow if their operands are valid. Weights, and results
  /// of layers whose operands are valid, are assumed to be valid. The compiled code compares inputs with a smaller
  /// limit, 2^20, in each call of the model (emitWhole in ActiveFlags.h).
  static constexpr Bounds valid() { return {-0x1p40, 0x1p40}; }
  bool isFinite() const;
  bool isValid() const { return low >= valid().low && high <= valid().high; }
};

/// Returns the smallest range that contains `a` and `b`.
Bounds joined(Bounds a, Bounds b);

/// Returns the range of the result of a scalar operation. `operands` are the ranges of its operands; nullopt if a range
/// is unknown. Floats are computed in f32, and integers are signed. The range of an integer never exceeds the range of
/// its type. The result of an operation on valid floats is assumed to be valid if its range is finite. Returns nullopt
/// for a float if it may be NaN or if its range is unknown, and for an operation with a region or without exactly one
/// result.
std::optional<Bounds> boundResult(mlir::Operation &op, llvm::ArrayRef<std::optional<Bounds>> operands);

/// Returns a range that contains all elements of a constant; nullopt if an element is NaN, or if the constant has no
/// elements or its elements are unknown.
std::optional<Bounds> boundConstant(mlir::Attribute constant);

/// Returns the range of an integer type or of index: 0 to 1 for i1, and the range of signed numbers for other types;
/// nullopt for floats.
std::optional<Bounds> boundType(mlir::Type element);

} // namespace heddle

#endif // HEDDLE_PADDING_BOUNDS_H
