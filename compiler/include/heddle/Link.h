//===- Link.h - objects made into libraries ---------------------*- C++ -*-===//

#ifndef HEDDLE_LINK_H
#define HEDDLE_LINK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// Writes a shared library from one object for x86-64 or AArch64. It exports what the object exports, is linked to no
/// other library (functions of libc and libm are the process's), and is whole or not written at all.
mlir::LogicalResult writeSharedLibrary(mlir::MLIRContext &context, llvm::StringRef path,
                                       const llvm::MemoryBuffer &object);

/// Writes an archive with one member, the object.
mlir::LogicalResult writeStaticLibrary(mlir::MLIRContext &context, llvm::StringRef path,
                                       const llvm::MemoryBuffer &object);

/// Writes the object itself.
mlir::LogicalResult writeObject(mlir::MLIRContext &context, llvm::StringRef path, const llvm::MemoryBuffer &object);

} // namespace heddle

#endif // HEDDLE_LINK_H
