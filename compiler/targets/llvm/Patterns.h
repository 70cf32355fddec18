//===- Patterns.h - conversion to the LLVM dialect --------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_PATTERNS_H
#define HEDDLE_TARGETS_LLVM_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that convert the dialects of kernels to the LLVM dialect: arith, cf, index, math, memref, ub and
/// vector. If `alignVectors`, the code assumes that the address of each vector in memory is a multiple of its size.
void populateKernelsToLLVM(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           bool alignVectors = false);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_PATTERNS_H
