//===- AttentionRepair.h - results of attention that are not finite -------===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H
#define HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H

#include "AttentionScore.h"
#include "BroadcastOperand.h"
#include "HeadRows.h"

#include "TileBuilder.h"

namespace heddle {

/// Computes again the results of queries that are not finite. In products of tiles, a key that contributes nothing has
/// the weight 0. If its value is not finite, the product is NaN, and the result may be wrong.
class AttentionRepair {
public:
  /// The operands, of which bias and mask may have no tensor, and the result.
  struct Operands {
    HeadRows query, key, value, result;
    BroadcastOperand bias, mask;
  };
  AttentionRepair(mlir::RewriterBase &b, AttentionOp op, const AttentionScore &score, const Operands &operands)
      : b(b), op(op), loc(op.getLoc()), score(score), operands(operands) {}

  /// Emits an scf.forall over all queries, which changes `dest`, the matrix of the result, and returns its result. If the
  /// first element of a query's result is not finite, all of them are computed again, key by key, without the keys that
  /// are removed. If any element is not finite, the first one must not be finite either.
  mlir::Value emit(mlir::Value dest);
  /// Emits column `column` of the result of a query: `found` if it is finite, and otherwise what the definition says, key
  /// by key. `row` is the query's position among the queries of the head.
  mlir::Value emitAgain(mlir::OpBuilder &inner, mlir::Value batch, mlir::Value head, mlir::Value row, mlir::Value column,
                        mlir::Value found);

private:
  using Value = mlir::Value;
  /// A query, and the range of the keys that it sees.
  struct Query {
    Value batch, head, row, keyHead;
    std::pair<Value, Value> keys;
  };
  struct Softmax {
    Value shift, total; // the number to subtract from scores, and the sum of the weights
  };
  void emitKeys(TileBuilder &t, Query &query);
  Value emitScore(mlir::OpBuilder &inner, const Query &query, Value number);
  Softmax emitSoftmax(mlir::OpBuilder &inner, const Query &query);
  Value emitElement(mlir::OpBuilder &inner, const Query &query, const Softmax &softmax, Value column);
  Value emitQuery(mlir::ValueRange at, Value part);

  mlir::RewriterBase &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionScore &score;
  Operands operands;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H
