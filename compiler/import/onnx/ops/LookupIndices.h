//===- LookupIndices.h - indices of lookups -----------------------*- C++ -*-===//
//
// If an index comes from an input, the input gets the valid range as an attribute. A computed index that is not
// provably in range is checked in the call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
#define HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Normalises negative indices, which count from the end; they are known at import. Emits an error for an index out of
/// range.
mlir::LogicalResult normalizeIndices(NodeContext &n, Shape &indices, const Dim &extent);

/// Makes sure that run-time indices are in [-extent, extent), if necessary by a check in the call, whose result is not
/// negative. Returns whether the indices may be negative.
mlir::FailureOr<bool> boundIndices(NodeContext &n, mlir::Value &indices, const Dim &extent);

/// Does the same, but leaves the range of an input as it is. For indices that are a part of the input.
mlir::FailureOr<bool> checkIndices(NodeContext &n, mlir::Value &indices, const Dim &extent);

/// The extent as a value that each call computes; null if it is a number.
mlir::Value countedExtent(NodeContext &n, const Dim &extent);

/// Adds the extent to `index` if it is negative. `counted` is the extent if it depends on sizes. If `maybeNegative` is
/// false, nothing is added.
mlir::Value wrapIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index, const Dim &extent, mlir::Value counted,
                      bool maybeNegative);

/// Records that looked-up elements lie in the range of the table's elements.
mlir::Value keepRange(NodeContext &n, mlir::Value table, mlir::Value result);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
