//===- Stages.h - the stages of a model on its way to code ------*- C++ -*-===//

#ifndef HEDDLE_STAGES_H
#define HEDDLE_STAGES_H

#include "mlir/Pass/PassManager.h"

#include <optional>

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

// Stages that are the same for every target.

/// Decomposed layers become heddle operations.
void buildRecognisePipeline(mlir::OpPassManager &manager);

/// Epilogues and residuals into their layers, query, key and value projections
/// into one, head split and merge into layouts, the rest into few linalg.generic.
void buildFusePipeline(mlir::OpPassManager &manager);

/// Operations of @main into private kernel functions, equal ones once.
void buildKernelsPipeline(mlir::OpPassManager &manager);

// Stages that targets put together from these and passes of their own.

/// Tensors into buffers; weights get their places, results those of the caller.
void buildBufferizePipeline(mlir::OpPassManager &manager, int64_t alignment = 64);

/// Allocations into views of one arena; `workgroups`: those of parallel loops stay.
void buildPlanPipeline(mlir::OpPassManager &manager, int64_t alignment = 64, bool workgroups = false);

/// Canonicalisation and common subexpressions, as often as buffers need it.
void addCleanup(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_STAGES_H
