//===- KernelOrigin.h - the model's name of a kernel ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_KERNELORIGIN_H
#define HEDDLE_TARGETS_GPU_KERNELORIGIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The names that a model uses for the work of a kernel. Names may contain any bytes, as in the model file.
struct KernelOrigin {
  std::string operation; // the operation's name in strategies; empty if it is not known
  llvm::SmallVector<std::string> names;

  /// Returns a location for code that is outlined from a kernel; `read` gets the origin from it.
  static mlir::Location locate(mlir::func::FuncOp kernel);
  /// Returns the names in a location or, if it has none, the line of the file.
  static KernelOrigin read(mlir::Location location);
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_KERNELORIGIN_H
