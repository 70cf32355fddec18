//===- WeightsObject.h - objects that contain weights -----------*- C++ -*-===//
//
// Weights are made before the code, which contains their hash, and may be far larger than everything else. Therefore
// they are written directly into the object's file, and the code is appended. Neither has to be in memory as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILE_WEIGHTSOBJECT_H
#define HEDDLE_COMPILE_WEIGHTSOBJECT_H

#include "heddle/TemporaryFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// A temporary file, which disappears with this object and the buffer of the finished object.
class WeightsObject {
public:
  ~WeightsObject();
  static mlir::FailureOr<std::unique_ptr<WeightsObject>> create(mlir::Location loc);

  /// Positioned at the weights, which come first in the file.
  llvm::raw_pwrite_stream &stream() { return *file; }

  /// Returns the finished object, mapped, after all weights were written. `code` is an object with a section
  /// .heddle_weights without content.
  mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>> finish(llvm::SmallVector<char, 0> code);

private:
  WeightsObject(mlir::Location loc, TemporaryFile temporary);

  mlir::Location loc;
  TemporaryFile temporary;
  std::unique_ptr<llvm::raw_fd_ostream> file; // writes to the temporary file
};

} // namespace heddle

#endif // HEDDLE_COMPILE_WEIGHTSOBJECT_H
