//===- Pipeline.h - the stages from an imported module on -------*- C++ -*-===//

#ifndef HEDDLE_PIPELINE_H
#define HEDDLE_PIPELINE_H

#include "heddle/TargetFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Stage {
  Import,
  Recognise,
  Fuse,
  Kernels,
  Tile,
  Vectorize,
  Bufferize,
  Plan,
  Dispatch,
  Loops,
  LLVM,
  LLVMIR,
  Object
};

/// Names as on the command line, in order.
llvm::ArrayRef<llvm::StringRef> stageNames();
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

struct PipelineOptions {
  TargetFacts target;
  /// OP=NAME|FILE[:knob=value,...], in the order of the command line.
  std::vector<std::string> strategies;
  /// Called with the module after each stage; failure ends the run.
  std::function<mlir::LogicalResult(Stage, mlir::ModuleOp)> afterStage;
};

/// Adds the passes of one stage, which is between recognise and llvm.
void addStage(mlir::OpPassManager &manager, Stage stage, const PipelineOptions &options);

/// Brings a module that is at stage `from` to stage `to`, at most llvm.
mlir::LogicalResult runStages(mlir::ModuleOp module, Stage from, Stage to, const PipelineOptions &options);

/// Registers --heddle-pipeline="from=STAGE to=STAGE" for heddle-opt.
void registerPipelines();

} // namespace heddle

#endif // HEDDLE_PIPELINE_H
