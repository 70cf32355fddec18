//===- ConvertDispatch.h - heddle.dispatch in the LLVM dialect --*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
#define HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Turns heddle.dispatch into a call of the executor's parallel_for, or into a
/// loop where there is none. The executor is found in the arena's frame.
void populateDispatchToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
