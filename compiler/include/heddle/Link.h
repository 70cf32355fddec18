//===- Link.h - writing objects and libraries -------------------*- C++ -*-===//

#ifndef HEDDLE_LINK_H
#define HEDDLE_LINK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// Writes a shared library made of one object for x86-64 or AArch64. It exports the object's exported symbols and
/// depends on no other library: the process must provide the functions of libc and libm. The file is written completely
/// or not at all.
mlir::LogicalResult writeSharedLibrary(mlir::MLIRContext &context, llvm::StringRef path,
                                       const llvm::MemoryBuffer &object);

/// Writes a static library with the object as its only member.
mlir::LogicalResult writeStaticLibrary(mlir::MLIRContext &context, llvm::StringRef path,
                                       const llvm::MemoryBuffer &object);

/// Writes the object itself.
mlir::LogicalResult writeObject(mlir::MLIRContext &context, llvm::StringRef path, const llvm::MemoryBuffer &object);

} // namespace heddle

#endif // HEDDLE_LINK_H
