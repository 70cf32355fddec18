//===- MakeLLVMIR.h - LLVM dialect to LLVM IR -------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_MAKELLVMIR_H
#define HEDDLE_TARGETS_LLVM_MAKELLVMIR_H

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// Translates a module of the LLVM dialect to an LLVM module with this name. On failure, emits an error and returns
/// null. Removes the locations of all operations of `module`, because the translation could interpret a location in a
/// model file as debug information of a function.
std::unique_ptr<llvm::Module> makeLLVMIR(mlir::Operation *module, llvm::LLVMContext &context, llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_MAKELLVMIR_H
