//===- PanelPlace.h - where the panels of a weight lie ----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_PANELPLACE_H
#define HEDDLE_LOWERING_PANELS_PANELPLACE_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Where the columns of a task lie in a weight, packed or not.
struct PanelPlace {
  mlir::OpFoldResult beside, along; // which of the panels abreast (the first, if several), and how far along it
  mlir::OpFoldResult number;        // of the panel in memory, or of those abreast
  mlir::OpFoldResult column;        // the first one in the result
};

/// The place for task `number` of those over `panel` columns each of a weight's `n`, which is packed as `shape` says
/// ([P, K, panel] or [abreast, P, K, panel]) or [K, N]; it uses `width` of these. Tasks go through memory from its
/// beginning to its end, however many columns they take of panels that lie abreast.
PanelPlace emitPanelPlace(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t n,
                          int64_t panel, mlir::OpFoldResult number, int64_t width);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_PANELPLACE_H
