//===- LLVMSizes.h - sizes in a function of the LLVM dialect ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_LLVMSIZES_H
#define HEDDLE_TARGETS_LLVM_LLVMSIZES_H

#include "heddle/SizeArithmetic.h"

#include <memory>

namespace heddle {

/// Integers of 64 bits. The function has an argument with the note heddle.arena, or does not get the arena.
std::unique_ptr<SizeArithmetic> makeLLVMSizes(mlir::FunctionOpInterface func, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_LLVMSIZES_H
