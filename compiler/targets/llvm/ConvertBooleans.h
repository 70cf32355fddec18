//===- ConvertBooleans.h - vectors of booleans in memory --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
#define HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that load and store vectors of booleans with one byte for each boolean, like scalar booleans. The
/// patterns of upstream MLIR, which have a lower benefit, would use one bit for each.
void populateBooleansToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
