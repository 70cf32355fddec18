//===- AttentionRows.cpp - attention of few queries, in rows ---------------===//
//
// With queries in lanes, one query costs as much as 16. Here a score is a dot product along
// the head, keys are in lanes from the scores on, and head elements in the result. The rows
// are the queries of one head, or of all heads that share a key head: then keys and values
// are read once for all of them.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Where a row's head and query lie in a head tensor without its batch.
static Dims rowDims(Layout layout) { return layout == Layout::Bhsd ? Dims{0, 1, 2} : Dims{1, 0, 2}; }

/// The task's queries, times the scale, as [rows][D].
Value AttentionEmitter::loadRows(Task &task) {
  Layout layout = op.getQueryLayout();
  int64_t rows = task.blocks.rows;
  Value lines = b.slice(op.getQuery(), headOffsets(layout, task.batch, task.head, task.firstQuery),
                        headSizes(layout, rows, size, sharing), {1, 2, 3});
  Value scaled = b.generic("ppp", {rowDims(layout), {0, 1, 2}}, lines, b.empty({sharing, rows, size}, element),
                           [&](TileBuilder &inner, ValueRange args) {
                             Value scale = inner.real(queryScale(), element);
                             return SmallVector<Value>{arith::MulFOp::create(inner, args[0], scale)};
                           })[0];
  return tensor::CollapseShapeOp::create(b, scaled, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

/// `change` applied to the rows of each head.
Value AttentionEmitter::ofEachHead(Task &task, Value scores, llvm::function_ref<Value(Task &, Value)> change) {
  int64_t columns = cast<RankedTensorType>(scores.getType()).getDimSize(1);
  SmallVector<int64_t> sizes = {task.blocks.rows, columns};
  for (int64_t head = 0; head < sharing; ++head) {
    Task of = task;
    of.head = b.add(task.head, b.index(head));
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(head * task.blocks.rows), b.getIndexAttr(0)};
    Value part = b.slice(scores, offsets, sizes, {0, 1});
    Value changed = change(of, part);
    if (changed != part)
      scores = b.insert(changed, scores, offsets, sizes);
  }
  return scores;
}

/// The rows of `tile` become the heads and queries of `target`.
Value AttentionEmitter::storeRows(Value tile, Layout layout, Value target) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto split = RankedTensorType::get({sharing, type.getDimSize(0) / sharing, type.getDimSize(1)}, element);
  Value rows = tensor::ExpandShapeOp::create(b, split, tile, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return b.generic("ppp", {{0, 1, 2}, rowDims(layout)}, rows, target, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{leaving(inner, args[0])};
  })[0];
}
