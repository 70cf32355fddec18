//===- ConvertDispatch.h - heddle.dispatch to LLVM --------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
#define HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that turn heddle.dispatch into a call of the executor's parallel_for, or into a loop if there is no
/// executor. The emitted code reads the executor from the call header at the start of the arena.
void populateDispatchToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
