//===- Pipeline.h - stages from import to llvm ------------------*- C++ -*-===//

#ifndef HEDDLE_PIPELINE_H
#define HEDDLE_PIPELINE_H

#include "heddle/Stages.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

class Target;

/// The options of a run of stages.
struct PipelineOptions {
  /// The target. May be null if the code is for a CPU and only stages before tile run.
  const Target *target = nullptr;
  /// The strategies that the user chose, each as OP=NAME|FILE[:knob=value,...], in the order of the command line.
  std::vector<std::string> strategies;
  /// Called when a stage begins.
  std::function<void(Stage)> beforeStage;
  /// Called with the module after each stage; failure ends the run.
  std::function<mlir::LogicalResult(Stage, mlir::ModuleOp)> afterStage;
};

/// Adds the passes of one stage from recognise to llvm.
void addStage(mlir::OpPassManager &manager, Stage stage, const PipelineOptions &options);

/// Lowers a module from stage `from` to stage `to`, or to llvm if `to` is a later stage.
mlir::LogicalResult runStages(mlir::ModuleOp module, Stage from, Stage to, const PipelineOptions &options);

/// Registers --heddle-pipeline="from=STAGE to=STAGE" for heddle-opt, with further options for the target and the
/// strategies.
void registerPipelines();

} // namespace heddle

#endif // HEDDLE_PIPELINE_H
