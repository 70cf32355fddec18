//===- LookupIndices.h - checks the indices of lookups ----------*- C++ -*-===//
//
// If an index is copied from an input, the input gets the valid range as the annotation heddle.range, and each call of
// the library checks the input at its beginning. If the range of a computed index is unknown or too large, the compiled
// code checks the index before the lookup (heddle.checked_index).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
#define HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Normalises indices that are known at import: adds the extent to negative indices, which count from the end. Emits an
/// error for an index out of range.
mlir::LogicalResult normalizeIndices(NodeContext &n, Shape &indices, const Dim &extent);

/// Ensures that indices that are not known at import are in [-extent, extent). If necessary, replaces `indices` by
/// checked indices, which are not negative. Returns whether the indices may be negative.
mlir::FailureOr<bool> boundIndices(NodeContext &n, mlir::Value &indices, const Dim &extent);

/// Like boundIndices, but does not change the annotation heddle.range of an input. Used for indices that are only a
/// part of an input.
mlir::FailureOr<bool> checkIndices(NodeContext &n, mlir::Value &indices, const Dim &extent);

/// If the extent depends on sizes, returns the extent as a value that the compiled code computes in each call of the
/// model; otherwise returns null.
mlir::Value countedExtent(NodeContext &n, const Dim &extent);

/// Emits code that adds the extent to `index` if `index` is negative. `counted` is the result of `countedExtent`. If
/// `maybeNegative` is false, returns `index` unchanged.
mlir::Value wrapIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index, const Dim &extent, mlir::Value counted,
                      bool maybeNegative);

/// Records that the elements of `result`, which were looked up in `table`, lie in the range of the table's elements.
mlir::Value keepRange(NodeContext &n, mlir::Value table, mlir::Value result);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
