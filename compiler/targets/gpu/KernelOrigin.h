//===- KernelOrigin.h - the model's names for a kernel ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_KERNELORIGIN_H
#define HEDDLE_TARGETS_GPU_KERNELORIGIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The names that a model uses for the work of a kernel. They may contain any bytes that the model file contains.
struct KernelOrigin {
  std::string operation; // the name of the operation in strategies; empty if it is not known
  llvm::SmallVector<std::string> names;

  /// Returns a location for code that is outlined from a kernel. `read` gets the origin from this location.
  static mlir::Location locate(mlir::func::FuncOp kernel);
  /// Returns the names in a location or, if it contains none, the line of the model file.
  static KernelOrigin read(mlir::Location location);
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_KERNELORIGIN_H
