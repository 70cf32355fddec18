//===- AttentionJoin.h - joins the parts of attention -----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONJOIN_H
#define HEDDLE_LOWERING_TILES_ATTENTIONJOIN_H

#include "AttentionRepair.h"

namespace heddle {

/// The results of workgroups that compute attention over parts of the keys. A group consists of some heads that share a
/// key head; its rows are their queries, where the queries of a head are below those of the previous head. If the
/// number of queries lies in a range, a group has as many rows as for the maximum, and the last ones are not used.
struct AttentionParts {
  mlir::Value largest; // [batch x groups x parts x rows]: the running maximum of a row, from the scores of the part
  mlir::Value totals;  // [batch x groups x parts x rows]: the sum of the exponentials of the scores minus this maximum
  mlir::Value sums;    // [batch x groups x parts x rows, Dv]: the sum of the values, weighted by these exponentials
  int64_t heads, rows; // of a group
  int64_t most;        // the number of parts for which the tensors have room
  Extent count;        // the number of parts that exist

  /// Emits the row of the tensors that belongs to row 0 of a group in a part. `at` contains the batch entry, the group
  /// and the part, and `groups` is the number of groups of a batch entry.
  mlir::OpFoldResult emitFirstRow(mlir::OpBuilder &b, mlir::Location loc, int64_t groups, mlir::ValueRange at) const;
};

/// Joins the results of parts of the keys, in the order of the parts, so that a result does not depend on the order in
/// which workgroups run.
class AttentionJoin {
public:
  AttentionJoin(mlir::RewriterBase &b, AttentionOp op, const AttentionScore &score,
                const AttentionRepair::Operands &operands, const AttentionParts &parts)
      : b(b), op(op), loc(op.getLoc()), score(score), operands(operands), parts(parts) {}

  /// Emits an scf.forall over all queries, with a workgroup for each query and a thread for each element of its result,
  /// which changes `dest`, the matrix of the result. Elements that are not finite are computed again (AttentionRepair).
  mlir::Value emit(mlir::Value dest);

private:
  using Value = mlir::Value;
  Value emitElement(mlir::ValueRange query, Value column);

  mlir::RewriterBase &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionScore &score;
  AttentionRepair::Operands operands;
  AttentionParts parts;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONJOIN_H
