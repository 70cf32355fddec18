//===- IndexTuples.h - tuples of indices, column by column ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H
#define HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// One column of a list of index tuples: the indices of all tuples into the same dimension.
struct Column {
  mlir::Value indices;
  std::optional<Numbers> known; // the indices as nonnegative numbers, if they are known at import
  bool negative = false;        // whether unknown indices may be negative; such indices count from the end
};

/// Returns the columns of `tuples` [.., length], which index the first `length` dimensions of `data`. Indices that are
/// not known at import are checked before the call, by the range of the input that contains them, or in the call. Emits
/// an error if the length is not known or greater than the rank of `data`, and for known indices that are out of range.
mlir::FailureOr<llvm::SmallVector<Column>> readTuples(NodeContext &n, mlir::Value data, mlir::Value tuples);

/// Returns the dimension of the tuples along which the indices are 0, 1, 2, ..; nothing if there is none.
std::optional<int64_t> findOwnPlaces(const Column &column);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_INDEXTUPLES_H
