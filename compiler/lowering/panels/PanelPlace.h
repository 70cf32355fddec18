//===- PanelPlace.h - positions of a weight's panels ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_PANELPLACE_H
#define HEDDLE_LOWERING_PANELS_PANELPLACE_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The position of a task's columns in a weight, packed or not.
struct PanelPlace {
  mlir::OpFoldResult beside, along; // the task's first panel in its group of interleaved panels, and this group
  mlir::OpFoldResult number;        // the number of the panel, or of the group of interleaved panels, in memory
  mlir::OpFoldResult column;        // the first column in the result
};

/// Returns the position for task `number`. Each task reads a panel of `panel` of the weight's `n` columns and uses the
/// first `width` columns of the panel. `shape` is the weight's shape: [P, K, panel] or [interleaved, P, K, panel] if
/// the weight is packed, else [K, N]. Consecutive tasks read consecutive panels in memory, both if a task reads one
/// interleaved panel and if it reads all of them.
PanelPlace emitPanelPlace(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t n,
                          int64_t panel, mlir::OpFoldResult number, int64_t width);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_PANELPLACE_H
