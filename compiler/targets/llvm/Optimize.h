//===- Optimize.h - LLVM's optimisations ------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_OPTIMIZE_H
#define HEDDLE_TARGETS_LLVM_OPTIMIZE_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Runs LLVM's O3 for a machine. The passes may introduce calls of the library functions `callable`. They introduce no
/// calls of other library functions, because these might not be available when the code is linked.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, llvm::ArrayRef<llvm::LibFunc> callable,
              llvm::PipelineTuningOptions tuning = {});

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_OPTIMIZE_H
