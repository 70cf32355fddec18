//===- PanelPlace.h - positions of a weight's panels ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_PANELPLACE_H
#define HEDDLE_LOWERING_PANELS_PANELPLACE_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The position of a task's columns in a weight, packed or not.
struct PanelPlace {
  mlir::OpFoldResult beside, along; // the first interleaved panel of the task, and its group of interleaved panels
  mlir::OpFoldResult number;        // the number of the panel, or of the group of interleaved panels, in memory
  mlir::OpFoldResult column;        // the first column in the result
};

/// Returns the position for task `number`. Each task takes `panel` of the weight's `n` columns and uses `width` of
/// them. `shape` is the weight's shape: [P, K, panel] or [interleaved, P, K, panel] if it is packed, else [K, N].
/// Consecutive tasks read consecutive panels in memory, whether they take one or all of the interleaved panels.
PanelPlace emitPanelPlace(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t n,
                          int64_t panel, mlir::OpFoldResult number, int64_t width);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_PANELPLACE_H
