//===- Optimize.h - LLVM's optimisations --------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_LLVM_OPTIMIZE_H
#define HEDDLE_TARGETS_LLVM_OPTIMIZE_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// O3 for a machine. Of a library's functions code calls those that are `callable`, and no others: what is in nobody's
/// library cannot be called.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, llvm::ArrayRef<llvm::LibFunc> callable,
              llvm::PipelineTuningOptions tuning = {});

} // namespace heddle

#endif // HEDDLE_TARGETS_LLVM_OPTIMIZE_H
