//===- WeightsObject.h - objects that contain weights -----------*- C++ -*-===//
//
// Weights are written before the code is generated, because the code contains
// the hash of the weights. Weights may be far larger than the memory. Therefore
// they are written directly into the file of the object, and the code is
// appended. Neither the weights nor the object are in memory as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILE_WEIGHTSOBJECT_H
#define HEDDLE_COMPILE_WEIGHTSOBJECT_H

#include "heddle/TemporaryFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// An object file that is written as a temporary file. The file is deleted when the WeightsObject and the buffer that
/// finish() returns are freed.
class WeightsObject {
public:
  ~WeightsObject();
  /// Creates the temporary file. Emits errors at `loc`.
  static mlir::FailureOr<std::unique_ptr<WeightsObject>> create(mlir::Location loc);

  /// Returns the stream to which the weights must be written.
  llvm::raw_pwrite_stream &stream() { return *file; }

  /// Returns the finished object, mapped into memory. All weights must have been written. `code` is an object with a
  /// section .heddle_weights without contents.
  mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>> finish(llvm::SmallVector<char, 0> code);

private:
  WeightsObject(mlir::Location loc, TemporaryFile temporary);

  mlir::Location loc;
  TemporaryFile temporary;
  std::unique_ptr<llvm::raw_fd_ostream> file; // writes to the temporary file
};

} // namespace heddle

#endif // HEDDLE_COMPILE_WEIGHTSOBJECT_H
