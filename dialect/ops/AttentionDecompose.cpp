//===- AttentionDecompose.cpp - attention as upstream operations ----------===//
//
// Emits the steps of the operation's description (Attention.td) one after another, with stored scores [B,Hq,Sq,Skv].
// Tests, `heddle verify` and passports use this form. Indexing maps express the layouts of operands, which are not
// transposed. The query heads that share a key head are a separate dimension in both contractions.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Builds the body of a linalg.generic from the body's arguments, and returns the value to yield.
using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Emits the decomposition of one op.
struct Decomposition {
  AttentionOp op;
  ImplicitLocOpBuilder b;
  AttentionOp::Extents sizes = op.getSizes();
  int64_t groups = sizes.queryHeads / sizes.keyHeads; // the number of query heads that share a key head
  Type element = getElementTypeOrSelf(op.getQuery());
  Type accumulator = element.isF64() ? element : Type(b.getF32Type()); // the type of sums in both contractions
  Type softmaxType = op.getSoftmaxType();
  SmallVector<OpFoldResult> scoreSizes; // B, Hq, Sq, Skv
  Decomposition(AttentionOp op, OpBuilder &builder) : op(op), b(op.getLoc(), builder) {
    bool bhsd = op.getQueryLayout() == Layout::Bhsd, keyBhsd = op.getKeyLayout() == Layout::Bhsd;
    OpFoldResult batch = dim(op.getQuery(), 0), queries = dim(op.getQuery(), bhsd ? 2 : 1);
    scoreSizes = {batch, b.getIndexAttr(sizes.queryHeads), queries, dim(op.getKey(), keyBhsd ? 2 : 1)};
  }

  OpFoldResult dim(Value value, int64_t i) { return tensor::getMixedSize(b, b.getLoc(), value, i); }
  Value constant(Type type, double value) { return arith::ConstantOp::create(b, b.getFloatAttr(type, value)); }

  /// Converts `value` to the float type `type`. Returns `value` if it already has this type.
  static Value convert(OpBuilder &b, Location loc, Value value, Type type) {
    unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (value.getType() == type)
      return value;
    return to > from ? arith::ExtFOp::create(b, loc, type, value).getResult()
                     : arith::TruncFOp::create(b, loc, type, value).getResult();
  }

  Value filled(ArrayRef<OpFoldResult> shape, Type type, double value) {
    Value empty = tensor::EmptyOp::create(b, shape, type);
    return linalg::FillOp::create(b, constant(type, value), empty).getResult(0);
  }

  /// Emits a linalg.generic whose last `reductions` loops are reductions.
  Value generic(Value init, ValueRange inputs, ArrayRef<AffineMap> maps, unsigned reductions, Body body) {
    SmallVector<utils::IteratorType> iterators(maps[0].getNumDims() - reductions, utils::IteratorType::parallel);
    iterators.append(reductions, utils::IteratorType::reduction);
    auto generic = linalg::GenericOp::create(b, init.getType(), inputs, init, maps, iterators,
                                             [&](OpBuilder &builder, Location loc, ValueRange args) {
                                               linalg::YieldOp::create(builder, loc, body(builder, loc, args));
                                             });
    return generic.getResult(0);
  }

  /// Emits a tensor with one value for each score. The arguments of `body` are elements of the broadcast `inputs`.
  Value onScores(Type type, ValueRange inputs, Body body) {
    SmallVector<AffineMap> maps;
    for (Value input : inputs) {
      ArrayRef<int64_t> shape = shapeOf(input);
      SmallVector<AffineExpr> exprs;
      for (auto [i, size] : llvm::enumerate(shape)) {
        unsigned dim = 4 - shape.size() + i;
        bool repeats = size == 1 && !isConstantIntValue(scoreSizes[dim], 1);
        exprs.push_back(repeats ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(dim));
      }
      maps.push_back(AffineMap::get(4, 0, exprs, b.getContext()));
    }
    maps.push_back(b.getMultiDimIdentityMap(4));
    return generic(tensor::EmptyOp::create(b, scoreSizes, type), inputs, maps, 0, body);
  }

  /// Splits dimension `position`, the query heads, of a 4-d tensor into key heads and `groups`; mergeHeads undoes this.
  Value splitHeads(Value value, unsigned position) {
    if (groups == 1)
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, b.getLoc(), value);
    shape[position] = b.getIndexAttr(sizes.keyHeads);
    shape.insert(shape.begin() + position + 1, b.getIndexAttr(groups));
    SmallVector<int64_t> staticShape = decomposeMixedValues(shape).first;
    return tensor::ExpandShapeOp::create(b, type.clone(staticShape), value, headReassociation(position), shape);
  }
  Value mergeHeads(Value value, unsigned position) {
    return groups == 1 ? value
                       : tensor::CollapseShapeOp::create(b, value, headReassociation(position)).getResult();
  }
  static SmallVector<ReassociationIndices> headReassociation(unsigned position) {
    SmallVector<ReassociationIndices> result;
    for (int64_t i = 0, next = 0; i < 4; ++i) {
      result.push_back({next++});
      if (i == position)
        result.back().push_back(next++);
    }
    return result;
  }

  /// Returns the indexing map to the loops `names`: b (batch), h (key head), g (query head of h, if several), x, y, z.
  AffineMap map(ArrayRef<char> names) {
    SmallVector<AffineExpr> exprs;
    for (char name : names) {
      StringRef all = groups == 1 ? "bhxyz" : "bhgxyz";
      if (size_t i = all.find(name); i != StringRef::npos)
        exprs.push_back(b.getAffineDimExpr(i));
    }
    return AffineMap::get(groups == 1 ? 5 : 6, 0, exprs, b.getContext());
  }
  AffineMap headMap(Layout layout, char position, char last, bool grouped) {
    char group = grouped ? 'g' : ' ';
    if (layout == Layout::Bhsd)
      return map({'b', 'h', group, position, last});
    return map({'b', position, 'h', group, last});
  }

  /// Adds the product of `left` and `right`, reduced over loop z, to `init`.
  Value contract(Value init, Value left, AffineMap leftMap, Value right, AffineMap rightMap, AffineMap resultMap) {
    Type type = getElementTypeOrSelf(init);
    return generic(init, {left, right}, {leftMap, rightMap, resultMap}, 1,
                   [&](OpBuilder &builder, Location loc, ValueRange args) {
                     Value product = arith::MulFOp::create(builder, loc, convert(builder, loc, args[0], type),
                                                           convert(builder, loc, args[1], type));
                     return arith::AddFOp::create(builder, loc, args[2], product).getResult();
                   });
  }

  Value roundedHeads(Value heads) {
    if (!op.getRounding())
      return heads;
    AffineMap all = b.getMultiDimIdentityMap(4);
    Value empty = tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), heads), element);
    return generic(empty, heads, {all, all}, 0,
                   [&](OpBuilder &b, Location, ValueRange args) { return op.emitRounded(b, op.getLoc(), args[0]); });
  }

  unsigned headsAt(Layout layout) { return layout == Layout::Bhsd ? 1 : 2; }
  /// Returns the products of queries and keys, without scale.
  Value rawScores() {
    Value init = splitHeads(filled(scoreSizes, accumulator, 0.0), 1);
    Value query = splitHeads(roundedHeads(op.getQuery()), headsAt(op.getQueryLayout()));
    return mergeHeads(contract(init, query, headMap(op.getQueryLayout(), 'x', 'z', true), roundedHeads(op.getKey()),
                               headMap(op.getKeyLayout(), 'y', 'z', false), map({'b', 'h', 'g', 'x', 'y'})),
                      1);
  }

  /// Applies the region to the score or probability `value`; `elements` are the elements of the tensors in `reads`.
  Value inRegion(ImplicitLocOpBuilder &b, Region &region, Value value, ValueRange elements) {
    SmallVector<Value> arguments{value};
    for (int64_t dim = 0; dim < 4; ++dim)
      arguments.push_back(linalg::IndexOp::create(b, dim));
    SmallVector<Type> types = op.getRegionTypes();
    for (auto [element, type] : llvm::zip_equal(elements, ArrayRef(types).drop_front(5)))
      arguments.push_back(isa<FloatType>(type) ? convert(b, b.getLoc(), element, type) : element);
    return AttentionOp::inlineRegion(b, region, arguments);
  }

  /// Emits an i1: whether `causal`, `window` or `key_lengths` removes the score. Returns null if none can do so.
  Value removed(OpBuilder &ob, Location loc, Value queries, Value keys, Value length) {
    ImplicitLocOpBuilder b(loc, ob);
    auto index = [&](Value value) {
      return arith::IndexCastOp::create(b, b.getI64Type(), value).getResult();
    };
    auto number = [&](int64_t value) {
      return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)).getResult();
    };
    Value i = index(linalg::IndexOp::create(b, 2)), j = index(linalg::IndexOp::create(b, 3));
    Value valid = index(keys), result;
    if (length) {
      length = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, length, number(0)), valid);
      valid = length;
    }
    auto remove = [&](arith::CmpIPredicate predicate, Value limit) {
      Value here = arith::CmpIOp::create(b, predicate, j, limit);
      result = result ? arith::OrIOp::create(b, result, here).getResult() : here;
    };
    if (length)
      remove(arith::CmpIPredicate::sge, length);
    Value position = i;
    if (op.getCausal() != Causal::UpperLeft)
      position = arith::AddIOp::create(b, i, arith::SubIOp::create(b, valid, index(queries)));
    if (op.getCausal() != Causal::None)
      remove(arith::CmpIPredicate::sgt, position);
    if (int64_t left = op.getWindowLeft(); left >= 0)
      remove(arith::CmpIPredicate::slt, arith::SubIOp::create(b, position, number(left)));
    if (int64_t right = op.getWindowRight(); right >= 0)
      remove(arith::CmpIPredicate::sgt, arith::AddIOp::create(b, position, number(right)));
    return result;
  }

  /// Steps 1 to 5: products, scale, softcap, bias, region `score`, mask, and removal by position.
  Value scores() {
    SmallVector<Value> inputs{rawScores()};
    for (Value operand : {Value(op.getBias()), Value(op.getMask())})
      if (operand)
        inputs.push_back(operand);
    if (Value lengths = op.getKeyLengths()) { // [B] as [B,1,1,1]
      SmallVector<OpFoldResult> shape{scoreSizes[0], b.getIndexAttr(1), b.getIndexAttr(1), b.getIndexAttr(1)};
      auto type = RankedTensorType::get(decomposeMixedValues(shape).first, b.getI64Type());
      inputs.push_back(tensor::ExpandShapeOp::create(b, type, lengths, {{0, 1, 2, 3}}, shape));
    }
    size_t firstRead = inputs.size();
    if (op.hasScore())
      llvm::append_range(inputs, op.getReads());
    Value queries = getValueOrCreateConstantIndexOp(b, b.getLoc(), scoreSizes[2]);
    Value keys = getValueOrCreateConstantIndexOp(b, b.getLoc(), scoreSizes[3]);
    return onScores(softmaxType, inputs, [&](OpBuilder &ob, Location loc, ValueRange args) {
      ImplicitLocOpBuilder b(loc, ob);
      auto number = [&](double value) {
        return arith::ConstantOp::create(b, b.getFloatAttr(softmaxType, value)).getResult();
      };
      unsigned next = 1;
      Value score = convert(b, loc, args[0], softmaxType);
      score = arith::MulFOp::create(b, score, number(op.getScaleValue()));
      if (auto cap = op.getSoftcap()) {
        Value ratio = arith::DivFOp::create(b, score, number(cap->convertToDouble()));
        score = arith::MulFOp::create(b, math::TanhOp::create(b, ratio), number(cap->convertToDouble()));
      }
      if (op.getBias())
        score = arith::AddFOp::create(b, score, convert(b, loc, args[next++], softmaxType));
      if (op.hasScore())
        score = inRegion(b, op.getScore(), score, args.slice(firstRead, op.getReads().size()));
      if (op.getMask())
        score = arith::SelectOp::create(b, args[next++], score, number(op.getMaskedScoreValue()));
      Value length = op.getKeyLengths() ? args[next++] : Value();
      if (Value isRemoved = removed(b, loc, queries, keys, length))
        score = arith::SelectOp::create(b, isRemoved, number(-INFINITY), score);
      return score;
    });
  }

  /// Reduces `values` [B,Hq,Sq,Skv] along the keys to [B,Hq,Sq]. withRow combines `values` with such a result, `rows`.
  Value alongKeys(Value values, double neutral, Body body) {
    AffineMap all = b.getMultiDimIdentityMap(4);
    return generic(filled(ArrayRef(scoreSizes).drop_back(), softmaxType, neutral), values,
                   {all, all.dropResult(3)}, 1, body);
  }
  Value withRow(Value values, Value rows, Body body) {
    AffineMap all = b.getMultiDimIdentityMap(4);
    return generic(tensor::EmptyOp::create(b, scoreSizes, softmaxType), {values, rows},
                   {all, all.dropResult(3), all}, 0, body);
  }

  /// Returns the natural logarithm of the number by which exponentials are divided if the op has `rounding`: a power of
  /// two or, if the magnitude of the maximum is at least `largestPower`, exp(maximum).
  Value powerOf(ImplicitLocOpBuilder &b, Value maximum) {
    auto number = [&](double value) {
      return arith::ConstantOp::create(b, b.getFloatAttr(softmaxType, value)).getResult();
    };
    Value power = math::CeilOp::create(b, arith::MulFOp::create(b, maximum, number(llvm::numbers::log2e)));
    Value magnitude = math::AbsFOp::create(b, maximum), limit = number(AttentionOp::largestPower);
    Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude, limit);
    return arith::SelectOp::create(b, isSmall, arith::MulFOp::create(b, power, number(llvm::numbers::ln2)), maximum);
  }

  /// Step 6 without the region: returns the probabilities, of the type softmaxType.
  Value softmax(Value scores) {
    bool zeros = op.getEmptyRow() == EmptyRow::Zeros, guarded = op.getEmptyRow() == EmptyRow::NanToZeros;
    auto compare = [&](ImplicitLocOpBuilder &b, arith::CmpFPredicate predicate, Value value, double number) {
      return arith::CmpFOp::create(b, predicate, value,
                                   arith::ConstantOp::create(b, b.getFloatAttr(softmaxType, number)));
    };
    auto zero = [&](ImplicitLocOpBuilder &b) {
      return arith::ConstantOp::create(b, b.getFloatAttr(softmaxType, 0.0)).getResult();
    };
    Value maximum = alongKeys(scores, -INFINITY, [](OpBuilder &b, Location loc, ValueRange args) {
      return arith::MaximumFOp::create(b, loc, args[0], args[1]).getResult();
    });
    Value exponentials = withRow(scores, maximum, [&](OpBuilder &ob, Location loc, ValueRange args) {
      ImplicitLocOpBuilder b(loc, ob);
      Value shift = op.getRounding() ? powerOf(b, args[1]) : args[1];
      // If all scores of a row are -inf, they are shifted by 0, so their exponentials are 0, not NaN.
      if (zeros)
        shift = arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::OEQ, shift, -INFINITY), zero(b), shift);
      Value exponential = math::ExpOp::create(b, arith::SubFOp::create(b, args[0], shift));
      return op.getRounding() ? op.emitRoundedFactor(b, loc, exponential) : exponential;
    });
    Value sum = alongKeys(exponentials, 0.0, [](OpBuilder &b, Location loc, ValueRange args) {
      return arith::AddFOp::create(b, loc, args[1], args[0]).getResult();
    });
    return withRow(exponentials, sum, [&](OpBuilder &ob, Location loc, ValueRange args) {
      ImplicitLocOpBuilder b(loc, ob);
      Value ratio = arith::DivFOp::create(b, args[0], args[1]);
      if (!zeros && !guarded)
        return ratio;
      Value none = zeros ? compare(b, arith::CmpFPredicate::OEQ, args[1], 0.0) // all scores are -inf
                         : compare(b, arith::CmpFPredicate::UNO, ratio, 0.0);
      return arith::SelectOp::create(b, none, zero(b), ratio).getResult();
    });
  }

  /// Applies the region `probability` to the probabilities.
  Value probabilities(Value weights) {
    if (!op.hasProbability())
      return weights;
    SmallVector<Value> inputs{weights};
    llvm::append_range(inputs, op.getReads());
    return onScores(softmaxType, inputs, [&](OpBuilder &ob, Location loc, ValueRange args) {
      ImplicitLocOpBuilder b(loc, ob);
      return inRegion(b, op.getProbability(), args[0], args.slice(1, op.getReads().size()));
    });
  }

  /// Step 7. Sums are computed in the accumulator type and converted to the element type.
  Value timesValue(Value weights) {
    Layout layout = op.getResultLayout();
    SmallVector<OpFoldResult> shape{scoreSizes[0], scoreSizes[1], scoreSizes[2], dim(op.getValue(), 3)};
    if (layout == Layout::Bshd)
      std::swap(shape[1], shape[2]);
    Value init = splitHeads(filled(shape, accumulator, 0.0), headsAt(layout));
    Value result = contract(init, splitHeads(weights, 1), map({'b', 'h', 'g', 'x', 'z'}), roundedHeads(op.getValue()),
                            headMap(op.getValueLayout(), 'z', 'y', false), headMap(layout, 'x', 'y', true));
    return inType(mergeHeads(result, headsAt(layout)), shape, element);
  }

  /// Converts the elements of `value` to `type`. Returns `value` if they already have this type.
  Value inType(Value value, ArrayRef<OpFoldResult> shape, Type type) {
    if (getElementTypeOrSelf(value) == type)
      return value;
    AffineMap all = b.getMultiDimIdentityMap(4);
    return generic(tensor::EmptyOp::create(b, shape, type), value, {all, all}, 0,
                   [&](OpBuilder &b, Location loc, ValueRange args) { return convert(b, loc, args[0], type); });
  }
};
} // namespace

FailureOr<SmallVector<Value>> AttentionOp::decomposeOperation(OpBuilder &builder) {
  Extents sizes = getSizes();
  if (isDynamic(sizes.queryHeads) || isDynamic(sizes.keyHeads) || (!getScale() && isDynamic(sizes.headSize)))
    return emitOpError("can be decomposed only if the numbers of heads are known, and the scale or the head size");
  Decomposition parts(*this, builder);
  Value weights = parts.probabilities(parts.softmax(parts.scores()));
  Value narrow = parts.inType(weights, parts.scoreSizes, parts.accumulator);
  SmallVector<Value> results{parts.timesValue(narrow)};
  if (getWithWeights())
    results.push_back(parts.inType(weights, parts.scoreSizes, parts.element));
  for (auto [result, declared] : llvm::zip_equal(results, getResults()))
    if (result.getType() != declared.getType())
      result = tensor::CastOp::create(builder, getLoc(), declared.getType(), result);
  return results;
}
