//===- Bounds.h - between which numbers a scalar lies -----------*- C++ -*-===//

#ifndef HEDDLE_PADDING_BOUNDS_H
#define HEDDLE_PADDING_BOUNDS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle {

/// Both ends are included, and may be infinite. What may be NaN has none.
struct Bounds {
  double low, high;

  /// What weights, and what layers make of ordinary numbers, are taken to lie in: nothing computed of that overflows.
  /// Inputs are checked in each call against a smaller limit, 2^20 (emitWhole).
  static constexpr Bounds ordinary() { return {-0x1p40, 0x1p40}; }
  bool isFinite() const;
  bool isOrdinary() const { return low >= ordinary().low && high <= ordinary().high; }
};

/// What `a` or `b` may be.
Bounds joined(Bounds a, Bounds b);

/// Of an operation on scalars, as f32 computes it, that has one result. Of integers at least those of their type, seen as
/// signed; of floats none where NaN is possible, or where the operation is not known.
std::optional<Bounds> boundResult(mlir::Operation &op, llvm::ArrayRef<std::optional<Bounds>> operands);

/// Of a constant, all of its elements.
std::optional<Bounds> boundConstant(mlir::Attribute constant);

/// Of integers, those of their type; none for floats.
std::optional<Bounds> boundType(mlir::Type element);

} // namespace heddle

#endif // HEDDLE_PADDING_BOUNDS_H
