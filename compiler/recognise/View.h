//===- View.h - strided views of tensors ------------------------*- C++ -*-===//
//
// Exporters put reshapes, transposes and broadcasts around the operations of a layer, and different exporters choose
// different ones. A View describes the result of a chain of these operations: the value that contains the elements (the
// base), and the strides of the elements in this value. Two chains that compute the same tensor from the same base have
// equal views, even if their operations differ.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_VIEW_H
#define HEDDLE_RECOGNISE_VIEW_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Element [i0, i1, ..] of the view is `factor` times element sum(i_k * strides[k]) of `base`, counted in row-major
/// order. The stride is 0 in dimensions of size 1 and in dimensions along which elements repeat.
struct View {
  mlir::Value base;
  llvm::SmallVector<int64_t> sizes, strides;
  double factor = 1.0;

  unsigned rank() const { return sizes.size(); }
  /// Returns the product of the sizes.
  int64_t numElements() const;
  bool operator==(const View &other) const;

  /// Returns whether the view contains each element of `base` once and in the same order.
  bool isContiguous() const;
  /// Returns the view reshaped to `sizes`, whose product must be the number of elements. Returns nothing if strides
  /// cannot express the reshaped view.
  std::optional<View> reshaped(llvm::ArrayRef<int64_t> sizes) const;
  /// Returns the view whose dimension i is dimension permutation[i] of this view.
  View transposed(llvm::ArrayRef<int64_t> permutation) const;
};

/// Returns the view whose base is `value` and which has the shape of `value`.
View identityView(mlir::Value value);

/// Returns the view of `value` whose base is as far back as possible: follows up to 12 transposes, reshapes and
/// broadcasts backwards, as long as strides can express their composition. With `throughFactors`, also follows
/// negations, and multiplications and divisions by a number, which change `factor`. Does not follow reshapes of tensors
/// of dynamic shape.
View traceView(mlir::Value value, bool throughFactors = false);

/// Like traceView, but returns the view of `value` reshaped to `sizes`, whose product must be the number of elements.
/// Returns nothing if strides cannot express this view.
std::optional<View> traceViewAs(mlir::Value value, llvm::ArrayRef<int64_t> sizes, bool throughFactors = false);

/// Follows reshapes backwards from `value` and returns their source, which contains the same elements in the same
/// order. Returns `value` if no reshape computes it.
mlir::Value peelReshapes(mlir::Value value);

/// Builds reshapes, transposes and broadcasts of the view's base that yield a tensor with the elements of the view. If
/// the base is a weight, reshapes and transposes become part of the weight's recipe, the steps that are applied when a
/// library is written. With `keepOnes`, the size of a dimension along which elements repeat becomes 1, and no broadcast
/// is built. Does not multiply by `view.factor`.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, const View &view, bool keepOnes = false);

/// Builds a reshape of `value` to the static shape `sizes`, whose product must be the number of elements. Returns
/// `value` if it has this shape.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> sizes);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_VIEW_H
