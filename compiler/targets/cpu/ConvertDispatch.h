//===- ConvertDispatch.h - heddle.dispatch to LLVM --------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
#define HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds patterns that convert heddle.dispatch, which runs the tasks of a parallel loop. The emitted code calls
/// parallel_for of the executor, or runs the tasks itself if there is at most one thread or task. It reads the executor
/// and the number of threads from the call header at the start of the arena.
void populateDispatchToLLVM(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_CONVERTDISPATCH_H
