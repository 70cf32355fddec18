//===- SizedOperands.h - operands that depend on sizes ----------*- C++ -*-===//
//
// Helpers for operators whose operands or extents may depend on sizes in ranges.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_SIZEDOPERANDS_H
#define HEDDLE_IMPORT_ONNX_OPS_SIZEDOPERANDS_H

#include "NodeContext.h"

#include "llvm/ADT/Sequence.h"

namespace heddle::onnx {

/// Returns the number in `dim`. If `dim` depends on sizes, emits an error with `what` as its subject.
inline mlir::FailureOr<int64_t> requireNumber(NodeContext &n, const Dim &dim, llvm::StringRef what) {
  if (std::optional<int64_t> number = dim.number())
    return *number;
  return n.error() << what << " must be the same for all sizes, found " << dim.text();
}

/// Returns an i64 tensor of shape `shape` with the positions 0, 1, .. along `axis`. All other extents must be 1. The
/// tensor is a constant if the extent is a number; otherwise the compiled code computes it in each call of the model.
inline mlir::Value positions(Emitter &b, llvm::ArrayRef<Dim> shape, int64_t axis) {
  if (std::optional<int64_t> count = shape[axis].number())
    return b.integers(shape, llvm::to_vector(llvm::seq<int64_t>(0, *count)));
  return SizedTensor::ofFormula(shape, b.getI64Type(), SizeExpression::place(unsigned(axis))).emit(b);
}

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_SIZEDOPERANDS_H
