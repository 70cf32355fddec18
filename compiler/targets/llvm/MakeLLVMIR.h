//===- MakeLLVMIR.h - LLVM IR of a module of the LLVM dialect ---*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_MAKELLVMIR_H
#define HEDDLE_TARGETS_LLVM_MAKELLVMIR_H

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// Locations are dropped: those of a file may claim to be functions of a program to debug, which the code is none of.
/// Null with an error.
std::unique_ptr<llvm::Module> makeLLVMIR(mlir::Operation *module, llvm::LLVMContext &context, llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_MAKELLVMIR_H
