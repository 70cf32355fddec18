//===- IndexWalk.h - indices that form a slice ------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
#define HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H

#include "Emit.h"

namespace heddle::onnx {

/// Indices start, start + step, .. that are known at import. They advance, in row-major order, along some dimensions of
/// the tensor of indices and do not change along the other dimensions. The elements at these indices are a slice that
/// is broadcast.
struct IndexWalk {
  Dim start = 0, count = 0; // the first index and the number of different indices
  int64_t step = 1;         // positive
  Shape spread;             // the shape of the indices, with 1 for dimensions along which the indices do not change
};

/// Returns the walk of nonnegative indices, a tensor of shape `shape`. Returns nothing if the indices do not form a
/// walk.
std::optional<IndexWalk> findWalk(llvm::ArrayRef<int64_t> indices, llvm::ArrayRef<int64_t> shape);
/// Returns the walk of indices that are expressions of sizes. Returns nothing unless the indices are all equal or
/// advance along one dimension only.
std::optional<IndexWalk> findWalk(const SizedTensor &indices);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
