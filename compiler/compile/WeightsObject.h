//===- WeightsObject.h - objects with weights in them -----------*- C++ -*-===//
//
// Weights are made before code, which has their hash, and may be far larger than all else: they are written into the
// object's file as they are made, and code behind them. Neither is in memory as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILE_WEIGHTSOBJECT_H
#define HEDDLE_COMPILE_WEIGHTSOBJECT_H

#include "heddle/TemporaryFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// A temporary file, which is gone with this and the object's buffer.
class WeightsObject {
public:
  ~WeightsObject();
  static mlir::FailureOr<std::unique_ptr<WeightsObject>> create(mlir::Location loc);

  /// Stands where the weights belong, which come first.
  llvm::raw_pwrite_stream &stream() { return *file; }

  /// The object, mapped, where all weights are written: `code` is one with a section .heddle_weights that has none.
  mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>> finish(llvm::SmallVector<char, 0> code);

private:
  WeightsObject(mlir::Location loc, TemporaryFile temporary);

  mlir::Location loc;
  TemporaryFile temporary;
  std::unique_ptr<llvm::raw_fd_ostream> file; // into it
};

} // namespace heddle

#endif // HEDDLE_COMPILE_WEIGHTSOBJECT_H
