//===- IndexWalk.h - indices that form a slice ------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
#define HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H

#include "Emit.h"

namespace heddle::onnx {

/// Constant indices that advance by a constant step along some of their dimensions and do not change along the other
/// dimensions. The elements at these indices are a slice that is broadcast.
struct IndexWalk {
  Dim start = 0, count = 0;
  int64_t step = 1;
  Shape spread; // the shape of the indices, with 1 for dimensions along which they do not change
};

/// Returns the walk of nonnegative indices, a tensor of shape `shape`. Returns nothing if they do not form a walk.
std::optional<IndexWalk> findWalk(llvm::ArrayRef<int64_t> indices, llvm::ArrayRef<int64_t> shape);
/// Returns the walk of indices that are expressions of sizes. Returns nothing unless they are all equal or advance
/// along one dimension only.
std::optional<IndexWalk> findWalk(const SizedTensor &indices);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
