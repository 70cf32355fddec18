//===- IndexTuples.h - tuples of indices, column by column ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H
#define HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// One column of a list of index tuples: the indices of all tuples into the same dimension.
struct Column {
  mlir::Value indices;          // an integer tensor with the shape of the tuples without their last dimension
  std::optional<Numbers> known; // the indices as nonnegative numbers, if they are known at import
  bool negative = false;        // whether unknown indices may be negative; such indices count from the end
};

/// Returns the columns of `tuples` [.., length], which index the first `length` dimensions of `data`. Indices that are
/// not known at import are checked in each call if they may be out of range: at the beginning of the call if they are
/// an input, which then gets the annotation heddle.range, otherwise before they are used. Emits an error if the
/// length is 0, depends on sizes or is greater than the rank of `data`, and for known indices that are out of range.
mlir::FailureOr<llvm::SmallVector<Column>> readTuples(NodeContext &n, mlir::Value data, mlir::Value tuples);

/// If each index in the column is the position of its tuple along one dimension (0, 1, 2, ..), returns this dimension;
/// otherwise nothing.
std::optional<int64_t> findOwnPlaces(const Column &column);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H
