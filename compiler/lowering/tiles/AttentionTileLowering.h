//===- AttentionTileLowering.h - attention by tiles with places -----------===//

#ifndef HEDDLE_LOWERING_TILES_ATTENTIONTILELOWERING_H
#define HEDDLE_LOWERING_TILES_ATTENTIONTILELOWERING_H

#include "AttentionTileBlock.h"
#include "BroadcastOperand.h"
#include "HeadRows.h"
#include "QueryRows.h"
#include "RowOps.h"
#include "ScoreRegion.h"

#include "attention/AttentionScore.h"
#include "attention/KeyRange.h"

#include "Heddle.h"

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace heddle {

/// Returns the first of `kinds` with whose products attention can be lowered to tiles: its factors have the type to
/// which attention rounds operands. If there is none, returns null and sets `reason` (LowerAttentionTiles.cpp).
FragmentKind chooseAttentionKind(mlir::Operation *layer, mlir::ArrayAttr kinds, std::string &reason);

/// Returns whether copies of keys or values into tiles convert elements to the type of the kind's right factors.
bool convertsKeysOrValues(AttentionOp op, FragmentKind kind);

/// Returns whether the parameter `approximate`, which may be null, is not 0. Fails if it is no integer.
mlir::FailureOr<bool> isApproximate(mlir::transform::TransformState &state, mlir::Value approximate);

/// Lowers one heddle.attention (transform.heddle.lower_attention_tiles). Private functions are documented in
/// AttentionTileLowering.cpp and AttentionTileScores.cpp.
class AttentionTileLowering {
public:
  AttentionTileLowering(mlir::RewriterBase &b, AttentionOp op, FragmentKind kind, const AttentionTileBlock &block,
                        bool approximate)
      : b(b), op(op), loc(op.getLoc()), kind(kind), block(block), score(op, /*inRegisters=*/true, approximate) {}
  void run();

protected: // AttentionPartsLowering.h uses these pieces for parts of the keys
  using Value = mlir::Value;
  using OpFoldResult = mlir::OpFoldResult;
  /// The tensors that the loop over blocks of keys carries: the sums of weighted values, and for each query the largest
  /// score and the sum of exponentials.
  struct Running {
    Value sums, largest, total;
  };

  void prepare();
  Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element, mlir::Attribute place);
  Value allocateInRegisters(llvm::ArrayRef<int64_t> shape, FragmentRole role = FragmentRole::Sum);
  Value copy(Value tensor, const HeadRows &rows, Value headOfRows, OpFoldResult first, OpFoldResult count,
             int64_t height, int64_t width);
  Value emitScores(Value queryTile, Value firstKey, OpFoldResult count);
  Value modified(Value products, Value firstKey, OpFoldResult count);
  /// The position of the score that the body of a linalg.generic on the tile of scores computes.
  struct Position {
    Value head, query, key; // `query` is relative to the first query of the block
  };
  Position emitPosition(mlir::OpBuilder &inner, Value firstKey) const;
  Value withoutRemoved(Value scores, Value firstKey);
  std::pair<Value, Value> emitWeights(Value scores, Value subtracted);
  Running emitStep(Value queryTile, Value firstKey, const Running &running);
  Value emitTiles();
  Running emitKeys(Value queryTile, Value begin, Value end, std::optional<int64_t> steps);
  TaskPart finish(const Running &running, Value out);
  TaskPart emitBlock(mlir::ValueRange at, Value out);

  mlir::RewriterBase &b;
  AttentionOp op;
  mlir::Location loc;
  FragmentKind kind;
  AttentionTileBlock block;
  AttentionScore score;
  HeadRows query, key, value, result;
  BroadcastOperand bias, mask; // the tensors are null if the op has none; the elements of the mask are bytes
  ScoreRegion region;
  Extent queries, keys;        // the numbers of queries and keys of a head
  Value dest;                  // the matrix of `result`
  // The queries of the current block, and the keys that they see.
  QueryRows rows;
  KeyRange range;
  // Tensors that each step overwrites. In registers: scores, and for each query the largest score of the step, the
  // factor of the sums so far, and the number to subtract from scores; weights that are narrower than scores, if the
  // kind has such factors. In workgroup memory: weights, unless they remain in registers.
  Value scoreTile, largestOfStep, factor, shift, narrowTile, weightTile;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ATTENTIONTILELOWERING_H
