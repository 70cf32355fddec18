//===- LookupIndices.h - indices of lookups -----------------------*- C++ -*-===//
//
// An index from an input gets its legal range written on the input; a computed one that is
// not provably in range is checked in the call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
#define HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Counts negative ones of indices known at import from the end; an error where one is out of range.
mlir::LogicalResult normalizeIndices(NodeContext &n, Shape &indices, const Dim &extent);

/// Makes sure that run-time indices are in [-extent, extent), if need be by a check in the call, behind which none is
/// negative; whether they may be.
mlir::FailureOr<bool> boundIndices(NodeContext &n, mlir::Value &indices, const Dim &extent);

/// The extent as a value that each call computes; null where it is a number.
mlir::Value countedExtent(NodeContext &n, const Dim &extent);

/// `index` with the extent added where it is negative, if it can be. `counted` is the extent where it is a size.
mlir::Value wrapIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value index, const Dim &extent, mlir::Value counted,
                      bool maybeNegative);

/// What is looked up lies in the range of the table's elements.
mlir::Value keepRange(NodeContext &n, mlir::Value table, mlir::Value result);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_LOOKUPINDICES_H
