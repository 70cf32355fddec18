//===- LinearAttention.cpp - attention without a softmax -------------------===//

#include "Attention.h"
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

static Value multiplyAdd(TileBuilder &b, ValueRange args) {
  Value product = arith::MulFOp::create(b, args[0], args[1]);
  return arith::AddFOp::create(b, args[2], product);
}

/// f of all rows, times `scale`.
static Value features(TileBuilder &b, LinearAttentionOp op, Value rows, double scale) {
  auto type = cast<RankedTensorType>(rows.getType());
  if (op.getFeatureMap() == FeatureMap::Identity && scale == 1.0)
    return rows;
  return b.generic("pp", {{0, 1}, {0, 1}}, rows, b.empty(type.getShape(), type.getElementType()),
                   [&](TileBuilder &inner, ValueRange args) {
                     Value result = feature(inner, op.getFeatureMap(), args[0]);
                     if (scale != 1.0)
                       result = arith::MulFOp::create(inner, result, inner.real(scale, result.getType()));
                     return SmallVector<Value>{result};
                   })[0];
}

/// One head: query [Sq][D], key [Skv][D], value [Skv][Dv] into [Sq][Dv].
static Value emitHead(TileBuilder &b, LinearAttentionOp op, Value query, Value key, Value value, Value into,
                      int64_t lanes) {
  Type element = cast<RankedTensorType>(query.getType()).getElementType();
  int64_t size = cast<RankedTensorType>(query.getType()).getDimSize(1);
  int64_t queries = cast<RankedTensorType>(query.getType()).getDimSize(0);
  int64_t valueSize = cast<RankedTensorType>(value.getType()).getDimSize(1);
  auto body = [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{multiplyAdd(inner, args)};
  };

  Value keys = features(b, op, key, 1.0);
  Value queriesMapped = features(b, op, query, op.getScale().convertToDouble());
  Value state = b.generic("ppr", {{2, 0}, {2, 1}, {0, 1}}, {keys, value},
                          b.filled({size, valueSize}, 0.0, element), body)[0];
  Value zeros = linalg::FillOp::create(b, b.real(0.0, element), into).getResult(0);
  Value result = b.generic("ppr", {{0, 2}, {2, 1}, {0, 1}}, {queriesMapped, state}, zeros, body)[0];
  if (!op.getNormalized())
    return result;
  // The divisor of row i is the same contraction with values of 1; one lane of it is read.
  Value sums = b.generic("prp", {{1, 0}, {0, 2}}, keys, b.filled({size, lanes}, 0.0, element),
                         [](TileBuilder &inner, ValueRange args) {
                           return SmallVector<Value>{arith::AddFOp::create(inner, args[1], args[0])};
                         })[0];
  Value divisors = b.generic("ppr", {{0, 2}, {2, 1}, {0, 1}}, {queriesMapped, sums},
                             b.filled({queries, lanes}, 0.0, element), body)[0];
  Value divisor = b.slice(divisors, {b.getIndexAttr(0), b.getIndexAttr(0)}, {queries, 1}, {0});
  return b.generic("pp", {{0}, {0, 1}}, divisor, result, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::DivFOp::create(inner, args[1], args[0])};
  })[0];
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

  SmallVector<OpFoldResult> counts =
      getAsIndexOpFoldResult(b.getContext(), type.getShape().take_front(leading));
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
  Value tile = emitHead(b, op, head(op.getQuery()), head(op.getKey()), head(op.getValue()),
                        head(forall.getRegionIterArgs()[0]), lanes);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, tile, forall.getRegionIterArgs()[0], offsets,
                                        getAsIndexOpFoldResult(b.getContext(), sizesOf(op.getResult())),
                                        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(1)));
  rewriter.replaceOp(op, forall.getResults());
  return success();
}
