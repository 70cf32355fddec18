//===- PanelPlace.h - positions of a weight's panels ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_PANELPLACE_H
#define HEDDLE_LOWERING_PANELS_PANELPLACE_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The position of a task's columns in a weight, packed or not.
struct PanelPlace {
  // `beside` is the index of the task's first panel in its group of interleaved panels, and `along` is the index of
  // this group. Without interleaved panels, `beside` is 0 and `along` is the index of the panel.
  mlir::OpFoldResult beside, along;
  mlir::OpFoldResult number; // the index of the panel, or of the group of interleaved panels, in memory
  mlir::OpFoldResult column; // the first column in the result
};

/// Returns the position for task `number`. Each task reads `panel` of the weight's `n` columns and uses the first
/// `width` of these. `shape` is the weight's shape: [P, K, panel] or [interleaved, P, K, panel] if the weight is
/// packed, else [K, N]. Consecutive tasks read consecutive panels in memory, whether a task reads one interleaved panel
/// or a whole group.
PanelPlace emitPanelPlace(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t n,
                          int64_t panel, mlir::OpFoldResult number, int64_t width);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_PANELPLACE_H
