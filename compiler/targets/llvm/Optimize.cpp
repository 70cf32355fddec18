//===- Optimize.cpp - LLVM's optimisations --------------------------------===//

#include "Optimize.h"

using namespace llvm;

void heddle::optimize(Module &module, TargetMachine &machine, ArrayRef<LibFunc> callable,
                      PipelineTuningOptions tuning) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  for (LibFunc function : callable)
    library.setAvailable(function);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}
