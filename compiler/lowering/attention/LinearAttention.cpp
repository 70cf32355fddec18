//===- LinearAttention.cpp - attention without a softmax ------------------===//
//
// With a feature map f, the result of a head is q (f(key)^T value), where q is
// scale x f(query). If the result is normalized, each row is divided by the
// product of the same row of q and the sum of the rows of f(key).
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Sizes.h"
#include "StateProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Returns f(x): x, or elu(x) + 1. The exponential is computed as the square of exp(x / 2). exp(x) itself is 0 where
/// the exact result is denormal; if all features of a query were 0, the normalized result would be 0 / 0.
static Value feature(TileBuilder &b, FeatureMap map, Value x) {
  if (map == FeatureMap::Identity)
    return x;
  Type type = x.getType();
  Value one = b.real(1.0, type);
  Value positive = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, b.real(0.0, type));
  Value above = arith::AddFOp::create(b, x, one);
  Value root = math::ExpOp::create(b, arith::MulFOp::create(b, x, b.real(0.5, type)));
  return arith::SelectOp::create(b, positive, above, arith::MulFOp::create(b, root, root));
}

/// Returns a new tensor with as many rows as `like`. If this number is known only at run time, it must be at most
/// `blockRows`.
static Value emptyLike(TileBuilder &b, Value like, int64_t columns, int64_t blockRows) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return b.empty({type.getDimSize(0), columns}, type.getElementType());
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> sizes = {tensor::getMixedSize(b, b.getLoc(), like, 0), columns};
  return b.slice(b.empty({blockRows, columns}, type.getElementType()), origin, sizes, {0, 1});
}

/// Applies the feature map f to all elements of `rows`, and multiplies the results by `scale`.
static Value features(TileBuilder &b, LinearAttentionOp op, Value rows, double scale, int64_t blockRows) {
  if (op.getFeatureMap() == FeatureMap::Identity && scale == 1.0)
    return rows;
  Value into = emptyLike(b, rows, cast<RankedTensorType>(rows.getType()).getDimSize(1), blockRows);
  return b.generic("pp", {{0, 1}, {0, 1}}, rows, into, [&](TileBuilder &inner, ValueRange args) {
    Value result = feature(inner, op.getFeatureMap(), args[0]);
    if (scale != 1.0)
      result = arith::MulFOp::create(inner, result, inner.real(scale, result.getType()));
    return SmallVector<Value>{result};
  })[0];
}

/// Adds the sum of the rows of `keys`, f(key) [n][D], to each lane of `sums` [D][lanes].
static Value addSums(TileBuilder &b, Value keys, Value sums) {
  return b.generic("prp", {{1, 0}, {0, 2}}, keys, sums, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::AddFOp::create(inner, args[1], args[0])};
  })[0];
}

/// Divides each row of `result` by the product of the same row of `queries` and `sums` [D][lanes]. All lanes of this
/// product are equal, so only one lane is read.
static Value divided(TileBuilder &b, Value queries, Value sums, Value result, int64_t blockRows) {
  int64_t lanes = cast<RankedTensorType>(sums.getType()).getDimSize(1);
  Value divisors = applied(b, queries, sums, emptyLike(b, queries, lanes, blockRows));
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> sizes = {tensor::getMixedSize(b, b.getLoc(), queries, 0), 1};
  return b.generic("pp", {{0}, {0, 1}}, b.slice(divisors, origin, sizes, {0}), result,
                   [](TileBuilder &inner, ValueRange args) {
                     return SmallVector<Value>{arith::DivFOp::create(inner, args[1], args[0])};
                   })[0];
}

/// Computes one head: query [Sq][D], key [Skv][D], value [Skv][Dv], into [Sq][Dv].
static Value emitHead(TileBuilder &b, LinearAttentionOp op, Value query, Value key, Value value, Value into,
                      const LinearAttentionTiles &tiles) {
  Type element = cast<RankedTensorType>(query.getType()).getElementType();
  int64_t size = cast<RankedTensorType>(query.getType()).getDimSize(1);
  int64_t valueSize = cast<RankedTensorType>(value.getType()).getDimSize(1);
  Value keys = features(b, op, key, 1.0, tiles.rows);
  Value queries = features(b, op, query, op.getScale().convertToDouble(), tiles.rows);
  Value state = addProducts(b, keys, value, b.filled({size, valueSize}, 0.0, element));
  Value result = applied(b, queries, state, into);
  if (!op.getNormalized())
    return result;
  return divided(b, queries, addSums(b, keys, b.filled({size, tiles.lanes}, 0.0, element)), result,
                 tiles.rows);
}

/// Emits a loop that runs `body` on blocks of at most `blockRows` rows, and returns the final carried values. `body`
/// gets the first row of a block, its number of rows and the carried values, and returns the next carried values.
static SmallVector<Value> inBlocks(TileBuilder &b, const Extent &rows, int64_t blockRows, ValueRange carried,
                                   function_ref<SmallVector<Value>(Value first, Value count, ValueRange)> body) {
  Value all = b.index(rows), step = b.index(blockRows);
  auto loop = scf::ForOp::create(b, b.index(0), all, step, carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), count = b.min(step, b.sub(all, first));
  scf::YieldOp::create(b, body(first, count, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Computes one head as emitHead does, in blocks of rows.
static Value emitHeadInBlocks(TileBuilder &b, LinearAttentionOp op, Value query, Value key, Value value, Value into,
                              const LinearAttentionTiles &tiles) {
  auto queryType = cast<RankedTensorType>(query.getType()), valueType = cast<RankedTensorType>(value.getType());
  Type element = queryType.getElementType();
  int64_t size = queryType.getDimSize(1), valueSize = valueType.getDimSize(1);
  Sizes sizes(op);
  auto rows = [&](Value from, Value first, Value count, int64_t columns) {
    return b.slice(from, {first, b.getIndexAttr(0)}, {count, columns}, {0, 1});
  };
  SmallVector<Value> state = {b.filled({size, valueSize}, 0.0, element)};
  if (op.getNormalized())
    state.push_back(b.filled({size, tiles.lanes}, 0.0, element));
  auto ofKeys = [&](Value first, Value count, ValueRange soFar) {
    Value keys = features(b, op, rows(key, first, count, size), 1.0, tiles.rows);
    SmallVector<Value> next = {addProducts(b, keys, rows(value, first, count, valueSize), soFar[0])};
    if (op.getNormalized())
      next.push_back(addSums(b, keys, soFar[1]));
    return next;
  };
  state = inBlocks(b, sizes.of(valueType.getDimSize(0)), tiles.rows, state, ofKeys);
  auto ofQueries = [&](Value first, Value count, ValueRange soFar) {
    Value queries = features(b, op, rows(query, first, count, size), op.getScale().convertToDouble(), tiles.rows);
    Value part = applied(b, queries, state[0], rows(soFar[0], first, count, valueSize));
    if (op.getNormalized())
      part = divided(b, queries, state[1], part, tiles.rows);
    return SmallVector<Value>{b.insert(part, soFar[0], {first, b.getIndexAttr(0)}, {count, valueSize})};
  };
  return inBlocks(b, sizes.of(queryType.getDimSize(0)), tiles.rows, into, ofQueries)[0];
}

/// The number of rows of a block if the strategy does not specify it.
static constexpr int64_t defaultRows = 64;

LogicalResult heddle::lowerLinearAttention(RewriterBase &rewriter, LinearAttentionOp op,
                                           const LinearAttentionTiles &requested) {
  for (Value value : {op.getQuery(), op.getKey(), op.getValue()}) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape())
      return op.emitError("cannot lower linear attention on ") << type << ": its shape must be static";
    if (!type.getElementType().isF32() && !type.getElementType().isF64())
      return op.emitError("cannot lower linear attention on elements of type ")
             << type.getElementType() << ": only f32 and f64 are supported";
    if (type.getNumElements() == 0)
      return op.emitError("cannot lower linear attention with an empty dimension");
  }
  rewriter.setInsertionPoint(op);
  TileBuilder b(op.getLoc(), rewriter);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t leading = type.getRank() - 2;

  Sizes ranges(op);
  auto counts = llvm::map_to_vector(type.getShape().take_front(leading),
                                    [&](int64_t count) { return ranges.of(count).emit(b, b.getLoc()); });
  if (counts.empty())
    counts.push_back(b.getIndexAttr(1));
  LinearAttentionTiles tiles = requested;
  if (!tiles.columns)
    tiles.columns = type.getShape().back();
  if (tiles.columns < type.getShape().back())
    counts.push_back(b.getIndexAttr(type.getShape().back() / tiles.columns));
  Value out = b.empty(type.getShape(), type.getElementType());
  auto forall = scf::ForallOp::create(b, counts, out, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<OpFoldResult> offsets;
  for (int64_t dim = 0; dim < leading; ++dim)
    offsets.push_back(forall.getInductionVar(dim));
  offsets.append(2, b.getIndexAttr(0));
  SmallVector<OpFoldResult> valueOffsets = offsets; // the offsets in values and result begin at the task's first column
  if (tiles.columns < type.getShape().back())
    valueOffsets.back() = b.mul(forall.getInductionVars().back(), tiles.columns);
  SmallVector<unsigned> keep = {unsigned(leading), unsigned(leading + 1)};
  auto sizesOf = [&](Value value) {
    SmallVector<Extent> sizes(leading, 1);
    for (int64_t extent : cast<RankedTensorType>(value.getType()).getShape().take_back(2))
      sizes.push_back(ranges.of(extent));
    return sizes;
  };
  auto head = [&](Value value) { return b.slice(value, offsets, sizesOf(value), keep); };
  auto columns = [&](Value value) {
    SmallVector<Extent> sizes = sizesOf(value);
    sizes.back() = tiles.columns;
    return b.slice(value, valueOffsets, sizes, keep);
  };
  auto fitsBlock = [&](Value value) {
    int64_t rows = cast<RankedTensorType>(value.getType()).getShape().take_back(2).front();
    return ranges.of(rows).isFixed() && (!tiles.rows || rows <= tiles.rows);
  };
  auto emit = fitsBlock(op.getQuery()) && fitsBlock(op.getKey()) ? emitHead : emitHeadInBlocks;
  if (!tiles.rows)
    tiles.rows = defaultRows;
  Value tile = emit(b, op, head(op.getQuery()), head(op.getKey()), columns(op.getValue()),
                    columns(forall.getRegionIterArgs()[0]), tiles);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  SmallVector<Extent> tileSizes = sizesOf(op.getResult());
  tileSizes.back() = tiles.columns;
  b.insertInParallel(tile, forall.getRegionIterArgs()[0], valueOffsets, tileSizes);
  rewriter.replaceOp(op, forall.getResults());
  return success();
}
