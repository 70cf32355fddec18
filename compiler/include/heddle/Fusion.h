//===- Fusion.h - the stages recognise and fuse as pipelines ----*- C++ -*-===//

#ifndef HEDDLE_FUSION_H
#define HEDDLE_FUSION_H

#include "mlir/Pass/PassManager.h"

namespace heddle {

/// Decomposed layers become heddle operations.
void buildRecognisePipeline(mlir::OpPassManager &manager);

/// Epilogues and residuals into their layers, query, key and value projections
/// into one, head split and merge into layouts, the rest into few linalg.generic.
void buildFusePipeline(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_FUSION_H
