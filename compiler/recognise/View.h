//===- View.h - tensors seen through reshapes and transposes ----*- C++ -*-===//
//
// Exporters wrap every layer in reshapes, transposes and broadcasts, each in
// its own way. A View is what remains of a chain of them: which value the
// elements come from and at which strides. Two chains that mean the same have
// equal views, whatever their steps.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_VIEW_H
#define HEDDLE_RECOGNISE_VIEW_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Element [i0, i1, ..] is factor x element sum(i_k x strides[k]) of `base` in
/// row-major order. A dimension of size 1 or one that repeats has stride 0.
struct View {
  mlir::Value base;
  llvm::SmallVector<int64_t> sizes, strides;
  double factor = 1.0;

  unsigned rank() const { return sizes.size(); }
  int64_t numElements() const;
  bool operator==(const View &other) const;

  /// The elements of `base` in order, none repeated.
  bool isContiguous() const;
  /// As a tensor of other sizes, where strides can express it.
  std::optional<View> reshaped(llvm::ArrayRef<int64_t> sizes) const;
  /// Dimension i of the result is dimension permutation[i].
  View transposed(llvm::ArrayRef<int64_t> permutation) const;
};

/// `value` as it is.
View identityView(mlir::Value value);

/// Follows transposes, reshapes, broadcasts and constant copies from `value` as
/// far as strides can express them; `throughFactors`: multiplications and
/// divisions by one number too. Shapes must be static.
View traceView(mlir::Value value, bool throughFactors = false);

/// The same, seen as a tensor of `sizes` (as many elements).
std::optional<View> traceViewAs(mlir::Value value, llvm::ArrayRef<int64_t> sizes, bool throughFactors = false);

/// The value before any reshape (not transpose): the same elements in the same order.
mlir::Value peelReshapes(mlir::Value value);

/// A tensor with the view's sizes: reshapes, transposes and broadcasts of its
/// base, folded into the recipe where that is a weight. `keepOnes`: a repeated
/// dimension becomes one of size 1 instead. The factor is the caller's affair.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, const View &view, bool keepOnes = false);

/// `value` with another static shape of as many elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> sizes);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_VIEW_H
