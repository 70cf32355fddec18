//===- BufferOverlaps.h - buffers that may share memory ---------*- C++ -*-===//

#ifndef HEDDLE_TILES_BUFFEROVERLAPS_H
#define HEDDLE_TILES_BUFFEROVERLAPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Returns the buffer of which `value` is a view, possibly through several views; `value` itself if it is no view.
mlir::Value findViewed(mlir::Value value);

/// Determines which arguments of a kernel may share memory. All launches of the kernel must be in its module. Two
/// arguments of the kernel are disjoint if every launch passes disjoint buffers for them: either two different buffers
/// (arguments of the entry point or constants), unless both are states (other buffers of a call must not overlap), or
/// parts of one buffer that do not intersect.
class BufferOverlaps {
public:
  explicit BufferOverlaps(mlir::gpu::GPUFuncOp kernel);

  /// Returns whether two buffers in the kernel may share memory. A null value, and a value that is no view of an
  /// argument, may be any buffer.
  bool mayOverlap(mlir::Value left, mlir::Value right) const;

private:
  mlir::Operation *kernel;
  // The pairs of arguments that may share memory, as argument numbers; the smaller number comes first.
  llvm::DenseSet<std::pair<unsigned, unsigned>> pairs;
};

} // namespace heddle

#endif // HEDDLE_TILES_BUFFEROVERLAPS_H
