//===- ActiveRows.h - layers that leave rows out ----------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ACTIVEROWS_H
#define HEDDLE_LOWERING_ACTIVEROWS_H

#include "Emit.h"
#include "heddle/RowSelect.h"

#include <optional>

namespace heddle {

/// A row select behind a layer, which the layer's lowering takes over.
struct ActiveRows {
  mlir::linalg::GenericOp select;
  mlir::Value flags; // i8 [rows], 0 where a row is not needed

  /// What the layer and the select yield together.
  mlir::Value result() { return select.getResult(0); }
};

/// The row select that alone uses `result` [..., columns], by way of reshapes, if it takes whole
/// rows. Then the layer moves to where its flags are known, and the rewriter with it.
std::optional<ActiveRows> findActiveRows(mlir::RewriterBase &rewriter, mlir::Value result);

/// Replaces the select by `rows` [rows, columns] and erases the layer before it.
void replaceSelected(mlir::RewriterBase &rewriter, mlir::Operation *layer, ActiveRows active, mlir::Value rows);

/// `value` [..., columns] with zeros in the rows that are not needed, so that the layer that
/// makes it can leave these out.
mlir::Value emitSelected(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::Value value);

/// The element x of a row with this flag.
mlir::Value emitKept(mlir::OpBuilder &body, mlir::Location loc, mlir::Value flag, mlir::Value x);

/// What `body` computes into `target` [count, columns] from the flags of its rows, if one of them
/// is needed, else zeros.
mlir::Value emitIfActive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::OpFoldResult row,
                         int64_t count, mlir::Value target,
                         llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value flags)> body);

} // namespace heddle

#endif // HEDDLE_LOWERING_ACTIVEROWS_H
