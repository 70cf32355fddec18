//===- View.h - tensors behind reshapes, transposes -------------*- C++ -*-===//
//
// Exporters wrap every layer in reshapes, transposes and broadcasts, each in
// its own way. A View describes the result of such a chain: the value that the
// elements come from, and their strides in it. Two chains with the same meaning
// have equal views, whatever their operations.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_VIEW_H
#define HEDDLE_RECOGNISE_VIEW_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Element [i0, i1, ..] is factor x element sum(i_k x strides[k]) of `base` in row-major order. A dimension of size 1,
/// or one along which elements repeat, has stride 0.
struct View {
  mlir::Value base;
  llvm::SmallVector<int64_t> sizes, strides;
  double factor = 1.0;

  unsigned rank() const { return sizes.size(); }
  int64_t numElements() const;
  bool operator==(const View &other) const;

  /// Returns whether the view has the elements of `base` in order, none repeated.
  bool isContiguous() const;
  /// Returns the view as a tensor of other sizes, if strides can express it.
  std::optional<View> reshaped(llvm::ArrayRef<int64_t> sizes) const;
  /// Returns the view whose dimension i is dimension permutation[i].
  View transposed(llvm::ArrayRef<int64_t> permutation) const;
};

/// Returns the view of `value` itself.
View identityView(mlir::Value value);

/// Follows transposes, reshapes, broadcasts and copies of constants from `value` backwards as far as strides can
/// express them. With `throughFactors`, also follows multiplications and divisions by one number. Shapes must be
/// static.
View traceView(mlir::Value value, bool throughFactors = false);

/// Like traceView, for `value` reshaped to `sizes` (with as many elements). Nullopt if strides cannot express it.
std::optional<View> traceViewAs(mlir::Value value, llvm::ArrayRef<int64_t> sizes, bool throughFactors = false);

/// Returns the value before all reshapes (not transposes): the same elements in the same order.
mlir::Value peelReshapes(mlir::Value value);

/// Returns a tensor with the view's sizes: reshapes, transposes and broadcasts of its base, which become part of the
/// recipe if the base is a weight. With `keepOnes`, a repeated dimension has size 1 instead. The factor is not applied.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, const View &view, bool keepOnes = false);

/// Returns `value` in another static shape with as many elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> sizes);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_VIEW_H
