//===- KernelOrigin.h - the model's names for a kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_KERNELORIGIN_H
#define HEDDLE_TARGETS_GPU_KERNELORIGIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The operation that a kernel computes, and the names of this operation in the model file. The names may contain any
/// bytes, since model files do not restrict names.
struct KernelOrigin {
  std::string operation; // the name of the operation as strategies spell it, or empty if the operation is not known
  /// The names in the model. There are several if several operations were combined. If the model has no name for the
  /// operation, `names` contains FILE:LINE of the operation in the model file, if known.
  llvm::SmallVector<std::string> names;

  /// Returns a location for code that is outlined from a kernel. `read` can reconstruct the origin from this location.
  static mlir::Location locate(mlir::func::FuncOp kernel);
  /// Returns the origin that a location describes.
  static KernelOrigin read(mlir::Location location);
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_KERNELORIGIN_H
