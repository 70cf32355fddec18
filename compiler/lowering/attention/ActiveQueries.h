//===- ActiveQueries.h - attention with inactive queries --------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ACTIVEQUERIES_H
#define HEDDLE_COMPILER_LOWERING_ACTIVEQUERIES_H

#include "AttentionTask.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// The queries of attention whose results are needed. A query is inactive if a row select (RowSelect.h) replaces its
/// row of the result by zeros. A block of queries is not computed if all of them are inactive.
class ActiveQueries {
public:
  /// All queries are active.
  ActiveQueries() = default;
  /// If a row select is the only user of the op's result, returns the queries that it keeps, so that both are lowered
  /// together. In this case, moves the op after the definition of the activity mask, and converts this mask to i8
  /// [batch, queries]. If attention probabilities are a result, all queries are computed, and the select remains.
  static ActiveQueries take(TileBuilder &b, mlir::RewriterBase &rewriter, AttentionOp op);

  /// Whether a query may be inactive.
  explicit operator bool() const { return select != nullptr; }
  /// The row select to replace by the result.
  mlir::linalg::GenericOp getSelect() const { return select; }

  /// Emits an scf.if with a result of type `type`, whose then-block runs if one of the queries is active. Moves the
  /// insertion point into this block.
  mlir::scf::IfOp emitIfAny(TileBuilder &b, const TaskQueries &queries, mlir::Type type) const;
  /// Yields `tile` from the then-block of `choice`, and `place` filled with zeros from the else-block. Returns the
  /// result of `choice`, and moves the insertion point after it.
  static mlir::Value emitElseZeros(TileBuilder &b, mlir::scf::IfOp choice, mlir::Value tile, mlir::Value place);
  /// Replaces the elements of `numbers` [lanes] by 0 for inactive queries.
  mlir::Value emitWithoutInactive(TileBuilder &b, const TaskQueries &queries, mlir::Value numbers) const;

private:
  mlir::linalg::GenericOp select; // null: all queries are active
  mlir::Value flags;              // the activity mask, i8 [batch, queries]
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ACTIVEQUERIES_H
