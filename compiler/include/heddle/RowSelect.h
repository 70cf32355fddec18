//===- RowSelect.h - zeroing of inactive rows -------------------*- C++ -*-===//
//
// A row select is a linalg.generic that keeps the active rows of a tensor and replaces the others by zeros. Its
// activity mask, an operand, tells which rows are active. If a row select follows a layer, the layer need not compute
// the inactive rows: lowerings convert the row select to a branch around the layer's tiles.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ROWSELECT_H
#define HEDDLE_ROWSELECT_H

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace heddle {

struct RowSelect {
  mlir::linalg::GenericOp op;
  /// The activity mask: i1, or i8 where 0 is inactive.
  mlir::OpOperand *active;
  /// The selected tensor, indexed like the result.
  mlir::OpOperand *value;
  /// The dimensions of the result that index `active`, in the order of the dimensions of `active`.
  llvm::SmallVector<unsigned> dims;
};

/// Matches `op` as a row select; returns nothing if `op` is not a row select.
std::optional<RowSelect> matchRowSelect(mlir::Operation *op);

/// Whether the row select, whose operand is the result of `layer`, selects whole rows: its activity mask has one
/// element for each row. Dimensions of size 1 may be missing in the mask.
bool selectsRows(LayerOpInterface layer, const RowSelect &select);

/// Builds a row select: `value` where `active` (i1 or i8) is not 0, else zeros. `active` has the dimensions `dims` of
/// `value`, in this order.
mlir::linalg::GenericOp buildRowSelect(mlir::OpBuilder &b, mlir::Location loc, mlir::Value active,
                                       llvm::ArrayRef<unsigned> dims, mlir::Value value);

} // namespace heddle

#endif // HEDDLE_ROWSELECT_H
