//===- ActiveRows.h - layers that skip inactive rows ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ACTIVEROWS_H
#define HEDDLE_LOWERING_ACTIVEROWS_H

#include "Emit.h"
#include "heddle/RowSelect.h"

#include <optional>

namespace heddle {

/// A row select that reads the result of a layer and is lowered together with the layer. A row select (RowSelect.h) is
/// an op that replaces inactive rows by zeros.
struct ActiveRows {
  mlir::linalg::GenericOp select;
  mlir::Value flags; // the activity mask, i8 [rows], 0 where a row is inactive

  /// Returns the result of the select: the layer's result, with zeros in inactive rows.
  mlir::Value result() { return select.getResult(0); }
};

/// Returns the row select that is the only user of `result` [..., columns], possibly through reshapes; nullopt if there
/// is none or if it does not select whole rows. Moves the layer and its reshapes to the select, where the activity mask
/// is defined, and sets the insertion point of `rewriter` to the layer.
std::optional<ActiveRows> findActiveRows(mlir::RewriterBase &rewriter, mlir::Value result);

/// Replaces the select by `rows` [rows, columns], and erases `layer` and the reshapes between the layer and the select.
void replaceSelected(mlir::RewriterBase &rewriter, mlir::Operation *layer, ActiveRows active, mlir::Value rows);

/// Emits a row select of `value` [..., columns], which replaces its inactive rows by zeros. `flags` is the activity
/// mask, i8 [rows]. The layer that computes `value` may then skip these rows.
mlir::Value emitSelected(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::Value value);

/// Emits code that computes x if `flag` (i8, an element of the activity mask) is not 0, and 0 otherwise.
mlir::Value emitKept(mlir::OpBuilder &body, mlir::Location loc, mlir::Value flag, mlir::Value x);

/// Emits an scf.if that computes the tile `target` [rows, columns], all rows of which are among the `count` rows from
/// `row` on. If at least one of these rows is active, `body` computes the tile; otherwise it is filled with zeros. The
/// argument `flags` of `body` is the activity mask of these rows, i8 [count].
mlir::Value emitIfActive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::OpFoldResult row,
                         int64_t count, mlir::Value target,
                         llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value flags)> body);

} // namespace heddle

#endif // HEDDLE_LOWERING_ACTIVEROWS_H
