//===- ScatterPlaces.h - updates at run-time positions ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_SCATTERPLACES_H
#define HEDDLE_IMPORT_ONNX_OPS_SCATTERPLACES_H

#include "NodeContext.h"

namespace heddle::onnx {

/// The positions of updates in one dimension of the data. The leading dimensions of the updates are called `tuples`:
/// each index tuple in them selects a position. The remaining dimensions of the updates are dimensions of the data that
/// each update overwrites as a whole.
struct ScatterPlace {
  /// The dimension of `tuples` whose index is the position; nothing if `indices` contains the positions.
  std::optional<int64_t> own = std::nullopt;
  /// Positions in the data's dimension, not negative; null if `own` is set. The dimensions of this tensor are the
  /// dimensions `dims` of `tuples`, in ascending order.
  mlir::Value indices = {};
  llvm::SmallVector<int64_t> dims = {};
};

/// Returns `data` with `updates` [tuples.., remaining dimensions of data..] written to `places`, which has an entry for
/// each leading dimension of `data`. At most one entry may have a given dimension of `tuples` as its `own`, and this
/// dimension must have the same extent as the data's dimension to which the entry belongs. If several updates have the
/// same position, the last one is used. The emitted code is a gather: for each element of the result, the code searches
/// for the element's update, so no position can be outside the data. Emits an error if the search would take too long
/// or the updates may be empty.
mlir::FailureOr<mlir::Value> scatter(NodeContext &n, mlir::Value data, llvm::ArrayRef<ScatterPlace> places,
                                     llvm::ArrayRef<Dim> tuples, mlir::Value updates);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_SCATTERPLACES_H
