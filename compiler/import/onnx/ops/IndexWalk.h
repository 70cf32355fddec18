//===- IndexWalk.h - indices that are a slice ---------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
#define HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H

#include "Emit.h"

namespace heddle::onnx {

/// Constant indices that walk a table with one step in some of their dimensions and stay put in the others: what is at
/// these places is a slice, broadcast.
struct IndexWalk {
  Dim start = 0, count = 0;
  int64_t step = 1;
  Shape spread; // the shape of the indices with 1 where they stay put
};

/// The walk of indices of this shape, none of them negative; none for others.
std::optional<IndexWalk> findWalk(llvm::ArrayRef<int64_t> indices, llvm::ArrayRef<int64_t> shape);
/// The same of indices that are known but for sizes: one that is the same everywhere, or moves along one dimension.
std::optional<IndexWalk> findWalk(const SizedTensor &indices);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_INDEXWALK_H
