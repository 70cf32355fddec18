//===- AttentionScores.cpp - scores, bias and masks -----------------------===//

#include "AttentionEmitter.h"
#include "Widened.h"

#include "ReadNotes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Scores are multiplied only if they are f32 and the factor remains finite. They are not multiplied if there is a bias
/// or a region `score`: a bias of the lowest finite number would overflow, and the region gets scores as the op defines
/// them.
double heddle::unitOfScores(AttentionOp op) {
  bool isF32 = getElementTypeOrSelf(op.getQuery()).isF32() && op.getSoftmaxPrecision() == SoftmaxPrecision::F32;
  double unit = isF32 && !op.getBias() && !op.hasScore() ? llvm::numbers::log2e : 1.0;
  double factor = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : op.getScaleValue();
  return std::abs(factor) * unit > std::numeric_limits<float>::max() ? 1.0 : unit;
}

double heddle::maskedScoreInUnit(AttentionOp op, double unit) {
  double score = op.getMaskedScoreValue(), largest = std::numeric_limits<float>::max();
  return std::isfinite(score) ? std::clamp(score * unit, -largest, largest) : score;
}

/// Returns the task's queries transposed into lanes, times queryScale(). Lanes without a query are 0; or they repeat
/// the last query if the number of queries is known only at run time.
Value AttentionEmitter::loadQuery(Task &task) {
  const QueryBlocks &blocks = task.blocks;
  Layout layout = op.getQueryLayout();
  SmallVector<OpFoldResult> offsets = headOffsets(layout, task.batch, task.head, task.firstQuery);
  SmallVector<unsigned> keep = headKeep(layout);
  double scale = queryScale();
  auto scaled = [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[0], inner.real(scale, element))};
  };
  if (!task.queries.isFixed())
    return transposed(queryRows(task, op.getQuery(), offsets, keep[0], keep[1], size, size, scaled));
  Value lines = b.slice(op.getQuery(), offsets, headSizes(layout, blocks.rows, size), keep);
  if (blocks.rows < blocks.lanes) {
    auto type = RankedTensorType::get({blocks.lanes, size}, element);
    SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)), high = {b.getIndexAttr(blocks.lanes - blocks.rows), low[0]};
    lines = tensor::PadOp::create(b, type, lines, low, high, b.real(0.0, element));
  }
  return b.generic("pp", {{1, 0}, {0, 1}}, lines, b.empty({size, blocks.lanes}, element), scaled)[0];
}

/// Annotates `product`, so that the rows of keys or values that it reads are prefetched, and returns it. Does not
/// annotate it in a checked task, or if prefetchBytes is 0: prefetches help only with few queries, which read each row
/// once, from memory.
Value AttentionEmitter::prefetchRows(const Task &task, Value product) {
  if (plan.prefetchBytes && !task.checked) {
    notes::prefetchBytes.set(product.getDefiningOp(), plan.prefetchBytes);
    notes::prefetchCache.set(product.getDefiningOp(), tiles.pastCache);
  }
  return product;
}

/// Emits the products of queries and `count` keys from `firstKey` on, in the tile `into`: keys [keys][D] x query
/// [D][lanes], or, with keys in lanes, query [rows][D] x keys^T.
Value AttentionEmitter::products(Task &task, Value firstKey, const Extent &count, Value query, Value into) {
  Value lines = b.slice(task.keys.numbers, {firstKey, b.getIndexAttr(0)}, {count, size}, {0, 1});
  Value zeros = linalg::FillOp::create(b, b.real(0.0, element), into).getResult(0);
  if (!tiles.inRows) // each element is read for all queries, so convert it only once
    lines = emitWidened(b, b.getLoc(), lines);
  lines = asFactor(task, lines, /*along=*/1);
  SmallVector<Value> inputs = {lines, query};
  SmallVector<LoopDims> dims = {{0, 2}, {2, 1}, {0, 1}};
  if (tiles.inRows) {
    std::swap(inputs[0], inputs[1]);
    dims[1] = {1, 2};
  }
  Value sums = b.generic("ppr", dims, inputs, zeros, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{plusProduct(inner, args[0], args[1], args[2])};
  })[0];
  if (op.getRounding())
    sums = b.generic("pp", {{0, 1}}, {}, sums, [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{arith::MulFOp::create(inner, args[0], inner.real(productScale(), element))};
    })[0];
  return timesScales(task.keys.scales, firstKey, count, prefetchRows(task, sums));
}

/// Returns whether a byte is not 0.
static Value isSet(TileBuilder &b, Value byte) {
  Value zero = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, zero);
}

/// Emits a region of the op, inside the body of a linalg op on a tile whose first key is `firstKey`. The region gets
/// one score or attention probability, `value`, its position, and `elements`, the elements of the tensors that the
/// region reads. Returns the result of the region.
Value AttentionEmitter::inRegion(Task &task, TileBuilder &inner, Region &region, Value firstKey, Value value,
                                 ValueRange elements) {
  Value query = linalg::IndexOp::create(inner, queryDim), key = linalg::IndexOp::create(inner, keyDim);
  SmallVector<Value> arguments = {inner.cast(value, precision), task.batch, task.head,
                                  arith::AddIOp::create(inner, query, task.firstQuery),
                                  arith::AddIOp::create(inner, key, firstKey)};
  for (auto [read, element] : llvm::zip_equal(op.getReads(), elements))
    arguments.push_back(getElementTypeOrSelf(read).isInteger(1) ? isSet(inner, element) : element);
  return inner.cast(AttentionOp::inlineRegion(inner, region, arguments), element);
}

/// Emits the scores of `count` keys: products, softcap, bias, region and mask. Scores of keys that positions remove are
/// -inf.
Value AttentionEmitter::scores(Task &task, Value firstKey, const Extent &count, Value into) {
  Value result = products(task, firstKey, count, task.factor, into);
  auto change = [&](Task &of, Value scores) {
    scores = modified(of, firstKey, count, scores);
    return of.seesAll ? scores : withoutRemoved(of, firstKey, count, scores);
  };
  return tiles.inRows ? ofEachHead(task, result, change) : change(task, result);
}

/// Returns the part of a bias or mask that belongs to the task's queries and `count` keys from `firstKey` on. Broadcast
/// dimensions are dropped. `dims` is set to the dimensions of a score tile (keyDim, queryDim) that index the part.
Value AttentionEmitter::broadcastSlice(Task &task, Value operand, Value firstKey, const Extent &count, LoopDims &dims) {
  auto type = cast<RankedTensorType>(operand.getType());
  Value positions[] = {task.batch, task.head, task.firstQuery, firstKey};
  Extent one, extents[] = {one, one, task.blocks.rows, count};
  SmallVector<OpFoldResult> offsets;
  SmallVector<Extent> sizes;
  SmallVector<unsigned> keep;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t at = dim + 4 - type.getRank();
    bool broadcast = type.getDimSize(dim) == 1;
    offsets.push_back(broadcast ? OpFoldResult(b.getIndexAttr(0)) : OpFoldResult(positions[at]));
    sizes.push_back(broadcast ? one : extents[at]);
    if (at >= 2 && !broadcast) {
      keep.push_back(dim);
      dims.push_back(at == 2 ? queryDim : keyDim);
    }
  }
  bool perQuery = !dims.empty() && dims[0] == queryDim;
  bool transposes = dims.size() == 2 && !count.isFixed() && !tiles.inRows;
  if (!perQuery || (task.queries.isFixed() && !transposes))
    return b.slice(operand, offsets, sizes, keep);
  if (dims.size() == 1)
    return queryElements(task, operand, offsets, keep[0]);
  Value columns = transposed(queryRows(task, operand, offsets, keep[0], keep[1], count, plan.blockK, TileBuilder::same));
  std::swap(dims[0], dims[1]);
  return b.slice(columns, {b.getIndexAttr(0), b.getIndexAttr(0)}, {count, task.blocks.rows}, {0, 1});
}

/// Returns the factor by which query-key products are multiplied: the scale if a softcap follows, and otherwise the
/// scale times the unit of scores.
double AttentionEmitter::productScale() { return op.getScaleValue() * (op.getSoftcap() ? 1.0 : unit); }

/// Returns the factor by which queries are multiplied: productScale(), or 1 if attention rounds. In the latter case,
/// the products of queries and keys are multiplied by productScale() instead.
double AttentionEmitter::queryScale() { return op.getRounding() ? 1.0 : productScale(); }

/// Applies `body` to each element of a tile of scores or attention probabilities, and returns the changed tile. `body`
/// gets the matching elements of `operands` (biases, masks or tensors that a region reads), and the tile's element
/// last.
Value AttentionEmitter::withOperands(Task &task, ArrayRef<Value> operands, Value firstKey, const Extent &count,
                                     Value tile, TileBuilder::Body body) {
  SmallVector<Value> inputs;
  SmallVector<LoopDims> dims;
  for (Value operand : operands) {
    dims.emplace_back();
    inputs.push_back(broadcastSlice(task, operand, firstKey, count, dims.back()));
  }
  // An operand that is indexed by the query has no lanes beyond the task's queries.
  bool perQuery = llvm::any_of(dims, [&](const LoopDims &list) { return llvm::is_contained(list, queryDim); });
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> sizes(2, count);
  sizes[queryDim] = perQuery ? task.blocks.rows : cast<RankedTensorType>(tile.getType()).getDimSize(queryDim);
  dims.push_back({0, 1});
  Value part = b.generic("pp", dims, inputs, b.slice(tile, origin, sizes, {0, 1}), body)[0];
  return b.insert(part, tile, origin, sizes);
}

/// Applies softcap, bias, the region `score` and the mask with its score, in this order.
Value AttentionEmitter::modified(Task &task, Value firstKey, const Extent &count, Value scores) {
  if (!op.getSoftcap() && !op.getBias() && !op.hasScore() && !op.getMask())
    return scores;
  SmallVector<Value> operands;
  for (Value operand : {Value(op.getBias()), mask})
    if (operand)
      operands.push_back(operand);
  if (op.hasScore())
    llvm::append_range(operands, reads);
  return withOperands(task, operands, firstKey, count, scores, [&](TileBuilder &inner, ValueRange args) {
    Value score = args.back();
    unsigned at = 0;
    if (op.getSoftcap()) {
      double cap = op.getSoftcap()->convertToDouble();
      score = arith::DivFOp::create(inner, score, inner.real(cap, element));
      score = math::TanhOp::create(inner, score);
      score = arith::MulFOp::create(inner, score, inner.real(cap * unit, element));
    }
    if (op.getBias())
      score = arith::AddFOp::create(inner, score, inner.cast(args[at++], element));
    Value byte = op.getMask() ? args[at++] : Value();
    if (op.hasScore())
      score = inRegion(task, inner, op.getScore(), firstKey, score, args.slice(at, reads.size()));
    if (byte)
      score = arith::SelectOp::create(inner, isSet(inner, byte), score, inner.real(maskedScoreInUnit(op, unit), element));
    return SmallVector<Value>{score};
  });
}

/// Sets the range of the keys and blocks that the task reads.
void AttentionEmitter::findRange(Task &task) {
  task.range = KeyRange::emit(b, op, queries, keys, {task.batch, task.firstQuery, task.blocks.rows});
  Value begin = task.range.begin, end = task.range.end;
  if (firstUnmaskedKey) {
    begin = b.max(begin, tensor::ExtractOp::create(b, firstUnmaskedKey, task.batch));
    end = b.min(end, tensor::ExtractOp::create(b, endUnmaskedKey, task.batch));
  }
  Value block = b.index(plan.blockK);
  task.blockBegin = b.createOrFold<arith::DivUIOp>(begin, block);
  task.blockEnd = b.createOrFold<arith::CeilDivUIOp>(end, block);
}

/// Sets scores of keys that positions remove to -inf. Only blocks at the edge of the visible keys compare positions.
Value AttentionEmitter::withoutRemoved(Task &task, Value firstKey, const Extent &count, Value scores) {
  if (!removesByPosition(op))
    return scores;
  Value before = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, firstKey, task.range.fullBegin);
  Value after =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, b.add(firstKey, b.index(count)), task.range.fullEnd);
  Value edge = b.createOrFold<arith::OrIOp>(before, after);
  if (!count.isFixed()) {
    // This loop of zero or one iterations replaces a branch, because bufferization would copy a slice of dynamic size
    // for a branch.
    Value times = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), edge);
    auto once = scf::ForOp::create(b, b.index(0), times, b.index(1), scores);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.getBody());
    scf::YieldOp::create(b, removed(task, firstKey, once.getRegionIterArg(0)));
    return once.getResult(0);
  }
  auto choice = scf::IfOp::create(b, scores.getType(), edge, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, removed(task, firstKey, scores));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, scores);
  return choice.getResult(0);
}

/// Sets scores of keys that positions remove to -inf. Below, r is the index of a score's key, counted from `firstKey`,
/// and l is the index of its query, counted from the first query of the task.
Value AttentionEmitter::removed(Task &task, Value firstKey, Value scores) {
  Type i32 = b.getI32Type();
  auto narrow = [&](Value value) { return b.createOrFold<arith::IndexCastOp>(i32, value); };
  Value shift = b.sub(firstKey, task.firstQuery);
  Value above = task.range.removeAbove ? narrow(b.sub(shift, task.range.removeAbove)) : Value();
  Value below = task.range.removeBelow ? narrow(b.sub(shift, task.range.removeBelow)) : Value();
  Value valid = op.getKeyLengths() ? narrow(b.sub(task.range.length, firstKey)) : Value();
  return b.generic("pp", {{0, 1}}, {}, scores, [&](TileBuilder &inner, ValueRange args) {
    Value key = arith::IndexCastOp::create(inner, i32, linalg::IndexOp::create(inner, keyDim));
    Value query = arith::IndexCastOp::create(inner, i32, linalg::IndexOp::create(inner, queryDim));
    Value score = args[0], gone = inner.real(-INFINITY, element);
    if (above) { // kept: l >= r + shift - removeAbove
      Value from = arith::AddIOp::create(inner, key, above);
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, query, from);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    if (below) { // kept: l <= r + shift - removeBelow
      Value to = arith::AddIOp::create(inner, key, below);
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::sle, query, to);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    if (valid) {
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, key, valid);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    return SmallVector<Value>{score};
  })[0];
}
