//===- KernelOrigin.h - the model's names for a kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_KERNELORIGIN_H
#define HEDDLE_TARGETS_GPU_KERNELORIGIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The operation that a kernel computes, and the names of this operation in the model file. The names may contain any
/// bytes.
struct KernelOrigin {
  std::string operation; // the name of the operation in strategies; empty if it is not known
  /// The names in the model, several if operations were combined. If there is none, FILE:LINE in the model file.
  llvm::SmallVector<std::string> names;

  /// Returns a location for code that is outlined from a kernel, from which `read` can reconstruct the origin.
  static mlir::Location locate(mlir::func::FuncOp kernel);
  /// Returns the origin that a location describes.
  static KernelOrigin read(mlir::Location location);
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_KERNELORIGIN_H
