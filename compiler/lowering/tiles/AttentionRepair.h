//===- AttentionRepair.h - results of attention that are not finite -------===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H
#define HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H

#include "BroadcastOperand.h"
#include "HeadRows.h"
#include "ScoreRegion.h"
#include "TileBuilder.h"

#include "attention/AttentionScore.h"

namespace heddle {

/// Computes again the results of queries that are not finite. In products of tiles, a key that contributes nothing has
/// the weight 0. If its value is not finite, the product is NaN, and the result may be wrong.
class AttentionRepair {
public:
  /// The operands, of which bias and mask may have no tensor, and the result.
  struct Operands {
    HeadRows query, key, value, result;
    BroadcastOperand bias, mask;
    ScoreRegion region;
  };
  AttentionRepair(mlir::RewriterBase &b, AttentionOp op, const AttentionScore &score, const Operands &operands)
      : b(b), op(op), loc(op.getLoc()), score(score), operands(operands) {}

  /// Emits an scf.forall over all queries, which changes `dest`, the matrix of the result, and returns its result. If
  /// the first element of a query's result is not finite, all elements of this result are computed again, key by key,
  /// without the keys that are removed. Other elements are not tested. If any element of a query's result is not
  /// finite or may be wrong, the code that computes `dest` must therefore make the first element NaN or infinite.
  mlir::Value emit(mlir::Value dest);
  /// Emits column `column` of the result of a query: `found` if it is finite; otherwise computes the element again, key
  /// by key. `row` is the query's position among the queries of the head.
  mlir::Value emitAgain(mlir::OpBuilder &inner, mlir::Value batch, mlir::Value head, mlir::Value row, mlir::Value column,
                        mlir::Value found);

private:
  using Value = mlir::Value;
  /// A query, the range of the keys that it sees, and the number that is subtracted from their scores.
  struct Query {
    Value batch, head, row, keyHead;
    Value firstKey, endOfKeys;
    Value shift;
  };
  /// A key of a query, its weight, and whether it is removed.
  struct WeightedKey {
    Value number, weight, isRemoved;
  };
  /// Sums over the keys of a query: of weighted values, and of the weights.
  struct Sums {
    Value weighted, total;
  };
  using AddKey = llvm::function_ref<Value(mlir::OpBuilder &inner, const WeightedKey &key, Value sums)>;
  Value emitScore(mlir::OpBuilder &inner, const Query &query, Value number);
  Query emitQuery(TileBuilder &inner, Value batch, Value head, Value row);
  Sums emitSums(mlir::OpBuilder &inner, const Query &query, Value start, AddKey add);
  Value emitAdded(mlir::OpBuilder &inner, const Query &query, const WeightedKey &key, Value column, Value sum);
  Value emitElement(mlir::OpBuilder &inner, Value sum, Value total);
  Value emitRow(mlir::ValueRange at, Value part);

  mlir::RewriterBase &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionScore &score;
  Operands operands;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONREPAIR_H
