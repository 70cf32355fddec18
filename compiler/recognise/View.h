//===- View.h - strided views of tensors ------------------------*- C++ -*-===//
//
// Exporters wrap every layer in reshapes, transposes and broadcasts, each in its own way. A View describes the result
// of such a chain of operations: the value that contains the elements (the base), and the strides of the elements in
// this value. Two chains with the same meaning have equal views, even if their operations differ.
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
  int64_t numElements() const;
  bool operator==(const View &other) const;

  /// Returns whether the view contains each element of `base` once and in the same order.
  bool isContiguous() const;
  /// Returns the view reshaped to `sizes`, with as many elements. Returns nothing if strides cannot express it.
  std::optional<View> reshaped(llvm::ArrayRef<int64_t> sizes) const;
  /// Returns the view whose dimension i is dimension permutation[i] of this view.
  View transposed(llvm::ArrayRef<int64_t> permutation) const;
};

/// Returns the view of `value` itself.
View identityView(mlir::Value value);

/// Follows transposes, reshapes and broadcasts backwards from `value` as far as strides can express them. With
/// `throughFactors`, also follows multiplications and divisions by a number. Does not follow reshapes of tensors of
/// dynamic shape.
View traceView(mlir::Value value, bool throughFactors = false);

/// Returns the view of `value` reshaped to `sizes`, with as many elements (see traceView). Returns nothing if strides
/// cannot express it.
std::optional<View> traceViewAs(mlir::Value value, llvm::ArrayRef<int64_t> sizes, bool throughFactors = false);

/// Returns the source of the reshapes that lead to `value`. It contains the same elements in the same order.
mlir::Value peelReshapes(mlir::Value value);

/// Builds a tensor with the elements of the view by reshapes, transposes and broadcasts of its base. If the base is a
/// weight, reshapes and transposes become part of its recipe. With `keepOnes`, the size of a dimension along which
/// elements repeat becomes 1, and no broadcast is built. The factor is not applied.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, const View &view, bool keepOnes = false);

/// Returns `value` in another static shape with as many elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> sizes);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_VIEW_H
