//===- ConvertBooleans.h - vectors of booleans in memory --------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
#define HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// A boolean in memory is a byte, whoever reads or writes it: upstream's patterns, which have a lower benefit, would
/// load and store vectors of booleans as bits.
void populateBooleansToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_CONVERTBOOLEANS_H
