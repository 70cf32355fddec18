//===- HeadSlice.h - slices of one or more heads ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_HEADSLICE_H
#define HEDDLE_COMPILER_LOWERING_HEADSLICE_H

#include "Extent.h"
#include "Heddle.h"

namespace heddle {

/// A slice of a query, key, value or result of heddle.attention: `positions` positions from `position` on and all
/// `size` elements, of `heads` heads from `head` on, in one batch entry. The functions return the arguments of
/// TileBuilder::slice() and TileBuilder::insert() for a tensor of four dimensions in `layout`.
struct HeadSlice {
  Layout layout;
  mlir::Value batch, head;
  mlir::OpFoldResult position;
  Extent positions;
  int64_t size;
  int64_t heads = 1;

  llvm::SmallVector<mlir::OpFoldResult> getOffsets() const;
  llvm::SmallVector<Extent> getSizes() const;
  /// Returns the dimensions for positions and elements, which remain in a slice of one head.
  llvm::SmallVector<unsigned> getRowDims() const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_HEADSLICE_H
