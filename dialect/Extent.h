//===- Extent.h - symbolic lengths ------------------------------*- C++ -*-===//
//
// An extent is the length of a dimension, the trip count of a loop or the number of tasks. It is a constant, a product
// of sizes that lie in ranges (Sizes.h), or a value that the code computes. Products and computed values are known at
// run time only. Lowerings and vectorizers use this one type: they query the properties that all calls share, and emit
// code for the extent where they need the length itself. The target decides how this code obtains the value of a size.
//
// Extents have no arithmetic: a lowering that splits an extent emits code for the parts. An importer, which has no code
// yet, computes with expressions (Dim.h) instead, and decides by comparing them. An expression becomes an extent when
// its placeholder appears in a type.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_EXTENT_H
#define HEDDLE_DIALECT_EXTENT_H

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace heddle {

/// A length: a constant, a multiple of a product of sizes, or a run-time value.
class Extent {
public:
  /// A constant, the same in all calls.
  Extent(int64_t number = 1) : placeholder(number), multiple(number), minimum(number), largest(number) {}
  /// The extent is `factor` times the product of `sizes` (a squared size is listed twice), lies between `low` and
  /// `high`, and is represented by `placeholder` in types. If `sizes` is empty, it is the constant `placeholder`. The
  /// names refer to strings of the module.
  Extent(int64_t placeholder, int64_t factor, llvm::ArrayRef<llvm::StringRef> sizes, int64_t low, int64_t high)
      : placeholder(placeholder), multiple(factor), minimum(low), largest(high), names(sizes) {}
  /// An index that code computes. It must not be negative.
  Extent(mlir::Value value);
  /// A constant or an index that code computes.
  Extent(mlir::OpFoldResult index);

  /// Whether the extent is the same in all calls.
  bool isFixed() const { return names.empty() && !atCall; }
  /// The constant. May be called only if isFixed().
  int64_t number() const {
    assert(isFixed() && "the extent is not a constant");
    return placeholder;
  }
  /// The extent as a dimension of a type: the constant, the placeholder of the product, or ShapedType::kDynamic.
  int64_t inTypes() const { return placeholder; }
  /// Bounds of the extent in all calls: for a product, the products of the bounds of its factors. high() is INT64_MAX
  /// if the upper bound is too large or unknown.
  int64_t low() const { return minimum; }
  int64_t high() const { return largest; }

  /// The constant factor, and the names of the sizes by whose product it is multiplied. Must not be called for a value
  /// that code computes.
  int64_t factor() const { return multiple; }
  llvm::ArrayRef<llvm::StringRef> sizes() const { return names; }

  /// For fixed extents: steps() is the number of steps that cover the extent, the last of which may be partial;
  /// wholeSteps() is the length that whole steps cover; rest() is the length of the remainder.
  int64_t steps(int64_t step) const { return llvm::divideCeilSigned(number(), step); }
  int64_t wholeSteps(int64_t step) const { return number() - rest(step); }
  int64_t rest(int64_t step) const { return number() % step; }

  /// Returns the constant as an attribute, or emits code for the length at `b` and returns its value.
  mlir::OpFoldResult emit(mlir::OpBuilder &b, mlir::Location loc) const;
  /// Like `emit`, but always as a value.
  mlir::Value emitValue(mlir::OpBuilder &b, mlir::Location loc) const;
  /// Returns an extent of the same length and bounds. If this extent is not fixed, code for the length is emitted at
  /// `b`, and the returned extent refers to the computed value, so later code reuses this value.
  Extent emitOnce(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  int64_t placeholder, multiple, minimum, largest; // the results of inTypes(), factor(), low() and high()
  llvm::SmallVector<llvm::StringRef> names;        // the result of sizes()
  mlir::Value atCall; // the run-time value; null for a constant or a product
};

} // namespace heddle

#endif // HEDDLE_DIALECT_EXTENT_H
