//===- RowSelect.h - rows that nobody needs, in upstream terms --*- C++ -*-===//
//
// A row select is a linalg.generic that keeps the rows of a tensor that are active
// and makes the others zero. Behind a layer it says that the layer need not compute
// the rows that it throws away: lowerings turn it into a branch around their tiles.
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
  /// i1, or i8 where 0 is inactive.
  mlir::OpOperand *active;
  /// Indexed as the result is.
  mlir::OpOperand *value;
  /// Dimensions of the result that `active` has, in its order.
  llvm::SmallVector<unsigned> dims;
};

/// `op` as a row select, or nothing.
std::optional<RowSelect> matchRowSelect(mlir::Operation *op);

/// Whether a select behind the layer takes whole rows: its flags are one for each, dimensions of size 1 left out
/// or not.
bool selectsRows(LayerOpInterface layer, const RowSelect &select);

/// `value` where `active` (i1 or i8) is not 0, else zeros; `active` has the dimensions `dims`
/// of `value`, in this order.
mlir::linalg::GenericOp buildRowSelect(mlir::OpBuilder &b, mlir::Location loc, mlir::Value active,
                                       llvm::ArrayRef<unsigned> dims, mlir::Value value);

} // namespace heddle

#endif // HEDDLE_ROWSELECT_H
