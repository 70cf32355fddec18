//===- AttentionRows.cpp - attention of few queries, keys in lanes ---------===//
//
// With queries in lanes, one query costs as much as 16. Here keys are turned block
// by block, which costs less than that from 8 queries down, and values need no
// turning at all. Scores [queries][keys] are kept as [queries][chunks][16] too, so
// that maximum and sum run over chunks; only their 16 lanes are folded at the end.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// scores [queries][keys] in the first columns of `into`.
Value AttentionEmitter::rowScores(Task &task, Value into) {
  auto block = [&](Value firstKey, int64_t count, Value into) {
    Value lines = b.slice(task.keys, {firstKey, b.getIndexAttr(0)}, {count, size}, {0, 1});
    Value turned = b.generic("pp", {{1, 0}, {0, 1}}, lines, b.empty({size, count}, element),
                             [](TileBuilder &, ValueRange args) { return SmallVector<Value>{args[0]}; })[0];
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), firstKey};
    SmallVector<int64_t> sizes = {task.blocks.rows, count};
    Value part = b.slice(into, offsets, sizes, {0, 1});
    part = linalg::FillOp::create(b, b.real(0.0, element), part).getResult(0);
    part = b.generic("ppr", {{0, 2}, {2, 1}, {0, 1}}, {task.query, turned}, part,
                     [](TileBuilder &inner, ValueRange args) {
                       Value product = arith::MulFOp::create(inner, args[0], args[1]);
                       return SmallVector<Value>{arith::AddFOp::create(inner, args[2], product)};
                     })[0];
    return b.insert(part, into, offsets, sizes);
  };
  int64_t step = 4 * tiles.lanes, whole = keys / step * step;
  if (whole > 0) {
    auto loop = scf::ForOp::create(b, b.index(0), b.index(whole), b.index(step), into);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, block(loop.getInductionVar(), step, loop.getRegionIterArg(0)));
    into = loop.getResult(0);
  }
  return whole < keys ? block(b.index(whole), keys - whole, into) : into;
}

/// [rows][lanes] to [rows], halving the lanes.
static Value foldLanes(TileBuilder &b, Value lanes,
                       function_ref<Value(TileBuilder &, Value, Value)> combine) {
  auto type = cast<RankedTensorType>(lanes.getType());
  int64_t rows = type.getDimSize(0);
  OpFoldResult zero = b.getIndexAttr(0);
  for (int64_t half = type.getDimSize(1) / 2; half > 0; half /= 2) {
    Value low = b.slice(lanes, {zero, zero}, {rows, half}, {0, 1});
    Value high = b.slice(lanes, {zero, b.getIndexAttr(half)}, {rows, half}, {0, 1});
    lanes = b.generic("pp", {{0, 1}, {0, 1}, {0, 1}}, {low, high},
                      b.empty({rows, half}, type.getElementType()), [&](TileBuilder &inner, ValueRange args) {
                        return SmallVector<Value>{combine(inner, args[0], args[1])};
                      })[0];
  }
  return b.slice(lanes, {zero, zero}, {rows, 1}, {0});
}

AttentionEmitter::Running AttentionEmitter::inRows(Task &task) {
  int64_t rows = task.blocks.rows, chunks = llvm::divideCeil(keys, tiles.lanes),
          padded = chunks * tiles.lanes;
  auto flatType = RankedTensorType::get({rows, padded}, element);
  auto chunkType = RankedTensorType::get({rows, chunks, tiles.lanes}, element);
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<int64_t> used = {rows, keys};

  // Lanes beyond the keys stay -inf: as if they had been removed.
  Value flat = rowScores(task, b.filled(flatType.getShape(), -INFINITY, element));
  Value part = modified(task, b.index(0), keys, b.slice(flat, origin, used, {0, 1}));
  if (removesKeys())
    part = removed(task, b.index(0), keys, part);
  flat = b.insert(part, flat, origin, used);
  Value scores = tensor::ExpandShapeOp::create(b, chunkType, flat, groups);

  Value highest =
      b.generic("prp", {{0, 1, 2}, {0, 2}}, scores, b.filled({rows, tiles.lanes}, -INFINITY, element),
                [](TileBuilder &inner, ValueRange args) {
                  return SmallVector<Value>{largerOf(inner, args[0], args[1])};
                })[0];
  Value shift = b.generic(
      "p", {{0}, {0}}, foldLanes(b, highest, largerOf), b.empty({rows}, element),
      [](TileBuilder &inner, ValueRange args) { return SmallVector<Value>{shiftOf(inner, args[0])}; })[0];
  SmallVector<Value> weights = exponentials(shift, scores, b.filled({rows, tiles.lanes}, 0.0, precision));
  Value sum = foldLanes(b, weights[1], [](TileBuilder &inner, Value x, Value y) -> Value {
    return arith::AddFOp::create(inner, x, y);
  });
  Value flatWeights = tensor::CollapseShapeOp::create(b, flatType, weights[0], groups);
  flatWeights = b.slice(flatWeights, origin, used, {0, 1});
  Value output = weighted(task, b.index(0), keys, flatWeights, b.filled({rows, valueSize}, 0.0, element));
  return {Value(), sum, output, flatWeights};
}
