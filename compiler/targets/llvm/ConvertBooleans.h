//===- ConvertBooleans.h - vectors of booleans in memory --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
#define HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that lower loads and stores of vectors of booleans. The patterns use one byte of memory for each
/// boolean, as for scalar booleans. The patterns of upstream MLIR, which have a lower benefit, would use one bit for
/// each boolean.
void populateBooleansToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
