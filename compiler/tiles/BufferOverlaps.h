//===- BufferOverlaps.h - buffers that may share memory ---------*- C++ -*-===//

#ifndef HEDDLE_TILES_BUFFEROVERLAPS_H
#define HEDDLE_TILES_BUFFEROVERLAPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Which arguments of a kernel may share memory. The launches of the kernel are in the same module; two arguments are
/// disjoint if every launch passes different arguments of the entry point, which must not overlap
/// (runtime/include/heddle/call.h), or parts of one buffer that do not intersect.
class BufferOverlaps {
public:
  explicit BufferOverlaps(mlir::gpu::GPUFuncOp kernel);

  /// Returns whether two buffers in the kernel may share memory. A null value is any buffer.
  bool mayOverlap(mlir::Value left, mlir::Value right) const;

private:
  mlir::Operation *kernel;
  llvm::DenseSet<std::pair<unsigned, unsigned>> pairs; // the numbers of arguments that may share memory, smaller first
};

} // namespace heddle

#endif // HEDDLE_TILES_BUFFEROVERLAPS_H
