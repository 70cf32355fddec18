//===- LLVMSizes.h - sizes in LLVM dialect functions ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_LLVMSIZES_H
#define HEDDLE_TARGETS_LLVM_LLVMSIZES_H

#include "heddle/SizeArithmetic.h"

#include <memory>

namespace heddle {

/// Returns an object that emits computations of sizes in `func`, as 64-bit integers of the LLVM dialect. The emitted
/// code reads sizes from the argument with the annotation heddle.arena, so a function without this argument cannot use
/// sizes.
std::unique_ptr<SizeArithmetic> makeLLVMSizes(mlir::FunctionOpInterface func, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_LLVMSIZES_H
