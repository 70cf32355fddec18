//===- KernelOrigin.h - the operation that a kernel is of -------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_KERNELORIGIN_H
#define HEDDLE_TARGETS_GPU_KERNELORIGIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What a model calls the work of a kernel. Names are as a file has them: any bytes.
struct KernelOrigin {
  std::string operation; // as strategies name it; empty where nothing says so
  llvm::SmallVector<std::string> names;

  /// The location of what is outlined from a kernel, from which `read` has the origin.
  static mlir::Location locate(mlir::func::FuncOp kernel);
  /// The names within a location, or the line of the file where it has none.
  static KernelOrigin read(mlir::Location location);
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_KERNELORIGIN_H
