//===- ActiveRows.h - layers that skip inactive rows ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ACTIVEROWS_H
#define HEDDLE_LOWERING_ACTIVEROWS_H

#include "Emit.h"
#include "heddle/RowSelect.h"

#include <optional>

namespace heddle {

/// A row select that follows a layer and that the layer's lowering takes over. A row select (RowSelect.h) replaces
/// inactive rows by zeros.
struct ActiveRows {
  mlir::linalg::GenericOp select;
  mlir::Value flags; // the activity mask, i8 [rows], 0 where a row is inactive

  /// Returns the result of the select, which is that of the layer and the select together.
  mlir::Value result() { return select.getResult(0); }
};

/// Returns the row select that is the only user of `result` [..., columns], possibly behind reshapes, if it selects
/// whole rows; nullopt if there is none. Moves the layer and its reshapes to the select, where the activity mask is
/// defined, and sets the insertion point of `rewriter` to the layer.
std::optional<ActiveRows> findActiveRows(mlir::RewriterBase &rewriter, mlir::Value result);

/// Replaces the select by `rows` [rows, columns], and erases the reshapes and the layer before it.
void replaceSelected(mlir::RewriterBase &rewriter, mlir::Operation *layer, ActiveRows active, mlir::Value rows);

/// Returns `value` [..., columns] with zeros in its inactive rows, so that the layer that computes it may skip them.
mlir::Value emitSelected(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::Value value);

/// Returns x if `flag`, the activity of its row, is not 0, else 0.
mlir::Value emitKept(mlir::OpBuilder &body, mlir::Location loc, mlir::Value flag, mlir::Value x);

/// Returns `target` [count, columns] with what `body` computes if at least one of the rows from `row` on is active, and
/// filled with zeros otherwise. `body` gets the activity mask of these rows, i8 [count].
mlir::Value emitIfActive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::OpFoldResult row,
                         int64_t count, mlir::Value target,
                         llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value flags)> body);

} // namespace heddle

#endif // HEDDLE_LOWERING_ACTIVEROWS_H
