//===- LinearAttention.cpp - attention without a softmax -------------------===//

#include "Attention.h"
#include "Sizes.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// f(x): x, or elu(x) + 1.
static Value feature(TileBuilder &b, FeatureMap map, Value x) {
  if (map == FeatureMap::Identity)
    return x;
  Type type = x.getType();
  Value one = b.real(1.0, type);
  Value positive = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, b.real(0.0, type));
  Value above = arith::AddFOp::create(b, x, one);
  return arith::SelectOp::create(b, positive, above, math::ExpOp::create(b, x));
}

static SmallVector<Value> multiplyAdd(TileBuilder &b, ValueRange args) {
  Value product = arith::MulFOp::create(b, args[0], args[1]);
  return {arith::AddFOp::create(b, args[2], product)};
}

/// Rows of a block, where only the call knows how many rows there are in all.
static constexpr int64_t blockRows = 64;

/// A new tensor of as many rows as `like`, of which a block has.
static Value emptyLike(TileBuilder &b, Value like, int64_t columns) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return b.empty({type.getDimSize(0), columns}, type.getElementType());
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)),
      sizes = {tensor::getMixedSize(b, b.getLoc(), like, 0), b.getIndexAttr(columns)};
  return b.slice(b.empty({blockRows, columns}, type.getElementType()), origin, sizes, {0, 1});
}

/// f of all rows, times `scale`.
static Value features(TileBuilder &b, LinearAttentionOp op, Value rows, double scale) {
  if (op.getFeatureMap() == FeatureMap::Identity && scale == 1.0)
    return rows;
  Value into = emptyLike(b, rows, cast<RankedTensorType>(rows.getType()).getDimSize(1));
  return b.generic("pp", {{0, 1}, {0, 1}}, rows, into, [&](TileBuilder &inner, ValueRange args) {
    Value result = feature(inner, op.getFeatureMap(), args[0]);
    if (scale != 1.0)
      result = arith::MulFOp::create(inner, result, inner.real(scale, result.getType()));
    return SmallVector<Value>{result};
  })[0];
}

/// f(key)^T value [D][Dv] of some keys, added to `state`.
static Value addProducts(TileBuilder &b, Value keys, Value value, Value state) {
  return b.generic("ppr", {{2, 0}, {2, 1}, {0, 1}}, {keys, value}, state, multiplyAdd)[0];
}

/// f(key) of some keys, added to each lane of `sums` [D][lanes].
static Value addSums(TileBuilder &b, Value keys, Value sums) {
  return b.generic("prp", {{1, 0}, {0, 2}}, keys, sums, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::AddFOp::create(inner, args[1], args[0])};
  })[0];
}

/// queries [rows][D] x state [D][columns].
static Value applied(TileBuilder &b, Value queries, Value state, Value into) {
  Value zero = b.real(0.0, cast<RankedTensorType>(into.getType()).getElementType());
  Value zeros = linalg::FillOp::create(b, zero, into).getResult(0);
  return b.generic("ppr", {{0, 2}, {2, 1}, {0, 1}}, {queries, state}, zeros, multiplyAdd)[0];
}

/// The divisor of row i is the same contraction with values of 1; one lane of it is read.
static Value divided(TileBuilder &b, Value queries, Value sums, Value result) {
  int64_t lanes = cast<RankedTensorType>(sums.getType()).getDimSize(1);
  Value divisors = applied(b, queries, sums, emptyLike(b, queries, lanes));
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0)),
      sizes = {tensor::getMixedSize(b, b.getLoc(), queries, 0), b.getIndexAttr(1)};
  return b.generic("pp", {{0}, {0, 1}}, b.slice(divisors, origin, sizes, {0}), result,
                   [](TileBuilder &inner, ValueRange args) {
                     return SmallVector<Value>{arith::DivFOp::create(inner, args[1], args[0])};
                   })[0];
}

/// One head: query [Sq][D], key [Skv][D], value [Skv][Dv] into [Sq][Dv].
static Value emitHead(TileBuilder &b, LinearAttentionOp op, Value query, Value key, Value value, Value into,
                      int64_t lanes) {
  Type element = cast<RankedTensorType>(query.getType()).getElementType();
  int64_t size = cast<RankedTensorType>(query.getType()).getDimSize(1);
  int64_t valueSize = cast<RankedTensorType>(value.getType()).getDimSize(1);
  Value keys = features(b, op, key, 1.0);
  Value queries = features(b, op, query, op.getScale().convertToDouble());
  Value state = addProducts(b, keys, value, b.filled({size, valueSize}, 0.0, element));
  Value result = applied(b, queries, state, into);
  if (!op.getNormalized())
    return result;
  return divided(b, queries, addSums(b, keys, b.filled({size, lanes}, 0.0, element)), result);
}

/// Runs `body` on block after block of rows.
static SmallVector<Value> inBlocks(TileBuilder &b, const Extent &rows, ValueRange carried,
                                   function_ref<SmallVector<Value>(Value first, Value count, ValueRange)> body) {
  Value all = b.index(rows.emit(b, b.getLoc())), step = b.index(blockRows);
  auto loop = scf::ForOp::create(b, b.index(0), all, step, carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), count = b.min(step, b.sub(all, first));
  scf::YieldOp::create(b, body(first, count, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// The same where only the call knows how many queries or keys there are.
static Value emitAnyHead(TileBuilder &b, LinearAttentionOp op, Value query, Value key, Value value, Value into,
                         int64_t lanes) {
  auto queryType = cast<RankedTensorType>(query.getType()), valueType = cast<RankedTensorType>(value.getType());
  Type element = queryType.getElementType();
  int64_t size = queryType.getDimSize(1), valueSize = valueType.getDimSize(1);
  Sizes sizes(op);
  auto rows = [&](Value from, Value first, Value count, int64_t columns) {
    return b.slice(from, {first, b.getIndexAttr(0)}, {count, b.getIndexAttr(columns)}, {0, 1});
  };
  SmallVector<Value> state = {b.filled({size, valueSize}, 0.0, element)};
  if (op.getNormalized())
    state.push_back(b.filled({size, lanes}, 0.0, element));
  auto ofKeys = [&](Value first, Value count, ValueRange so) {
    Value keys = features(b, op, rows(key, first, count, size), 1.0);
    SmallVector<Value> next = {addProducts(b, keys, rows(value, first, count, valueSize), so[0])};
    if (op.getNormalized())
      next.push_back(addSums(b, keys, so[1]));
    return next;
  };
  state = inBlocks(b, sizes.of(valueType.getDimSize(0)), state, ofKeys);
  auto ofQueries = [&](Value first, Value count, ValueRange so) {
    Value queries = features(b, op, rows(query, first, count, size), op.getScale().convertToDouble());
    Value part = applied(b, queries, state[0], rows(so[0], first, count, valueSize));
    if (op.getNormalized())
      part = divided(b, queries, state[1], part);
    return SmallVector<Value>{
        b.insert(part, so[0], {first, b.getIndexAttr(0)}, {count, b.getIndexAttr(valueSize)})};
  };
  return inBlocks(b, sizes.of(queryType.getDimSize(0)), into, ofQueries)[0];
}

LogicalResult heddle::lowerLinearAttention(RewriterBase &rewriter, LinearAttentionOp op, int64_t lanes) {
  for (Value value : {op.getQuery(), op.getKey(), op.getValue()}) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape())
      return op.emitError("cannot lower linear attention on ") << type << ": its shape must be static";
    if (!type.getElementType().isF32())
      return op.emitError("cannot lower linear attention on elements of type ")
             << type.getElementType() << ", only f32";
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
  Value out = b.empty(type.getShape(), type.getElementType());
  auto forall = scf::ForallOp::create(b, counts, out, /*mapping=*/std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<OpFoldResult> offsets;
  for (int64_t dim = 0; dim < leading; ++dim)
    offsets.push_back(forall.getInductionVar(dim));
  offsets.append(2, b.getIndexAttr(0));
  SmallVector<unsigned> keep = {unsigned(leading), unsigned(leading + 1)};
  auto sizesOf = [&](Value value) {
    SmallVector<int64_t> sizes(leading, 1);
    llvm::append_range(sizes, cast<RankedTensorType>(value.getType()).getShape().take_back(2));
    return sizes;
  };
  auto head = [&](Value value) { return b.slice(value, offsets, sizesOf(value), keep); };
  auto isFixed = [&](Value value) {
    return ranges.of(cast<RankedTensorType>(value.getType()).getShape().take_back(2).front()).isFixed();
  };
  auto emit = isFixed(op.getQuery()) && isFixed(op.getKey()) ? emitHead : emitAnyHead;
  Value tile = emit(b, op, head(op.getQuery()), head(op.getKey()), head(op.getValue()),
                    head(forall.getRegionIterArgs()[0]), lanes);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, tile, forall.getRegionIterArgs()[0], offsets,
                                        getAsIndexOpFoldResult(b.getContext(), sizesOf(op.getResult())),
                                        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(1)));
  rewriter.replaceOp(op, forall.getResults());
  return success();
}
