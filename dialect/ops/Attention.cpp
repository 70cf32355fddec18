//===- Attention.cpp - constraints and types of attention -----------------===//

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// The indices of the dimensions that count heads and positions, for a layout of a 4-d tensor.
struct AttentionDims {
  unsigned heads, positions;
  explicit AttentionDims(Layout layout) : heads(layout == Layout::Bhsd ? 1 : 2), positions(3 - heads) {}
};
} // namespace

/// Returns the sizes of the op, whose query, key and value must have rank 4. If a size is dynamic in one operand, it is
/// taken from another operand that contains the same size.
template <typename OpOrAdaptor>
static AttentionOp::Extents sizesOf(OpOrAdaptor op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey()), value = shapeOf(op.getValue());
  AttentionDims q(op.getQueryLayout()), k(op.getKeyLayout()), v(op.getValueLayout());
  AttentionOp::Extents sizes;
  sizes.batch = refine(refine(query[0], key[0]), value[0]);
  if (op.getKeyLengths())
    sizes.batch = refine(sizes.batch, shapeOf(op.getKeyLengths())[0]);
  sizes.queryHeads = query[q.heads];
  sizes.keyHeads = refine(key[k.heads], value[v.heads]);
  sizes.queries = query[q.positions];
  sizes.keys = refine(key[k.positions], value[v.positions]);
  sizes.headSize = refine(query[3], key[3]);
  sizes.valueSize = value[3];
  return sizes;
}

/// Verifies a region's arguments and operations (C12, C13). `name` is the name of the region in messages. The
/// operations of the region have not been verified at this point, so even a terminator may be missing.
static LogicalResult verifyRegion(AttentionOp op, StringRef name, Region &region) {
  Block &body = region.front();
  SmallVector<Type> expected = op.getRegionTypes();
  if (body.getArgumentTypes() != TypeRange(expected))
    return op.emitOpError(name) << " takes (" << body.getArgumentTypes() << "), expected (" << expected << ") (C12)";
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().getTypes() != TypeRange(expected).take_front())
    return op.emitOpError(name) << " must end by yielding one " << expected.front() << " (C12)";
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &inner : body.without_terminator())
    if (!(inner.hasTrait<OpTrait::ConstantLike>() || OpTrait::hasElementwiseMappableTraits(&inner)) ||
        inner.getNumResults() != 1 || !llvm::all_of(inner.getOperandTypes(), isScalar) ||
        !llvm::all_of(inner.getResultTypes(), isScalar))
      return op.emitOpError(name) << " has '" << inner.getName()
                                  << "', expected constants and elementwise operations on scalars (C13)";
  return success();
}

LogicalResult AttentionOp::verifyReadsAndRegions() {
  Extents sizes = getSizes();
  int64_t scores[] = {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys};
  for (auto [i, read] : llvm::enumerate(getReads()))
    if (failed(expectBroadcastable(*this, "C11", llvm::formatv("tensor {0} of reads", i).str(), read, scores)))
      return failure();
  if (!getReads().empty() && !hasScore() && !hasProbability())
    return emitOpError("has `reads`, but no region that uses them (C11)");
  if (hasScore() && failed(verifyRegion(*this, "score", getScore())))
    return failure();
  return success(!hasProbability() || succeeded(verifyRegion(*this, "probability", getProbability())));
}

LogicalResult AttentionOp::verifyRounding() {
  std::optional<Type> rounding = getRounding();
  if (!rounding)
    return success();
  Type element = getElementTypeOrSelf(getQuery());
  if (!rounding->isBF16() && !rounding->isF16())
    return emitOpError("rounding to ") << *rounding << ", expected bf16 or f16 (C14)";
  if (!element.isF32() || getSoftmaxPrecision() != SoftmaxPrecision::F32)
    return emitOpError("rounding requires elements of f32 and a softmax in f32, found ")
           << element << " and " << stringifyEnum(getSoftmaxPrecision()) << " (C14)";
  if (getWithWeights() || hasProbability())
    return emitOpError("rounding cannot be combined with with_weights or a region `probability` (C14)");
  return success();
}

Value AttentionOp::emitRounded(OpBuilder &b, Location loc, Value x) {
  if (getRounding()->isBF16())
    return PairOp::roundToBF16(b, loc, x);
  Type narrow = *getRounding();
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    narrow = vector.clone(narrow);
  return arith::ExtFOp::create(b, loc, x.getType(), Value(arith::TruncFOp::create(b, loc, narrow, x)));
}

Value AttentionOp::emitRoundedFactor(OpBuilder &b, Location loc, Value exponential) {
  if (double scale = getFactorScale(*getRounding()); scale != 1.0) {
    auto number = FloatAttr::get(getElementTypeOrSelf(exponential), scale);
    auto vector = dyn_cast<VectorType>(exponential.getType());
    Value constant = arith::ConstantOp::create(
        b, loc, vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(number))) : TypedAttr(number));
    exponential = arith::MulFOp::create(b, loc, exponential, constant);
  }
  return emitRounded(b, loc, exponential);
}

LogicalResult AttentionOp::verifyConstraints() {
  Value query = getQuery(), key = getKey(), value = getValue();
  if (failed(expectRank(*this, "C1", "query", query, 4, 4)) || failed(expectRank(*this, "C1", "key", key, 4, 4)) ||
      failed(expectRank(*this, "C1", "value", value, 4, 4)) ||
      failed(expectElementType(*this, "C1", {{"query", query}, {"key", key}, {"value", value}})))
    return failure();
  if (shapeOf(query)[3] == 0)
    return emitOpError("query has head size 0, expected at least 1 (C1)");

  AttentionDims q(getQueryLayout()), k(getKeyLayout()), v(getValueLayout());
  ArrayRef<int64_t> qs = shapeOf(query), ks = shapeOf(key), vs = shapeOf(value);
  if (failed(expectSize(*this, "C2", "key", "batch size", ks[0], qs[0], "query")) ||
      failed(expectSize(*this, "C2", "value", "batch size", vs[0], qs[0], "query")) ||
      failed(expectSize(*this, "C3", "value", "number of heads", vs[v.heads], ks[k.heads], "key")) ||
      failed(expectSize(*this, "C4", "key", "head size", ks[3], qs[3], "query")) ||
      failed(expectSize(*this, "C5", "value", "number of positions", vs[v.positions], ks[k.positions], "key")))
    return failure();

  Extents sizes = getSizes();
  if (!isDynamic(sizes.queryHeads) && !isDynamic(sizes.keyHeads) &&
      (sizes.keyHeads == 0 || sizes.queryHeads % sizes.keyHeads != 0))
    return emitOpError("query has ") << sizes.queryHeads << " heads, expected a multiple of key's " << sizes.keyHeads
                                     << " (C3)";

  int64_t scores[] = {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys};
  if (failed(expectBroadcastable(*this, "C6", "bias", getBias(), scores)) ||
      failed(expectBroadcastable(*this, "C7", "mask", getMask(), scores)) ||
      failed(expectShape(*this, "C8", "key_lengths", getKeyLengths(), sizes.batch)))
    return failure();

  if (auto window = getWindow()) {
    if (window->size() != 2)
      return emitOpError("expected 2 extents in window, found ") << window->size() << " (C9)";
    for (int64_t extent : *window)
      if (extent < -1)
        return emitOpError("window has extent ") << extent << ", expected at least -1, where -1 means no limit (C9)";
  }
  if (auto scale = getScale(); scale && scale->isNaN())
    return emitOpError("scale is NaN, expected a number (C10)");
  if (auto softcap = getSoftcap(); softcap && (!softcap->isFinite() || softcap->isNegative() || softcap->isZero()))
    return emitOpError("softcap is ") << softcap->convertToDouble() << ", expected a positive finite number (C10)";
  if (auto score = getMaskedScore(); score && score->isNaN())
    return emitOpError("masked_score is NaN, expected a number (C10)");
  return failed(verifyReadsAndRegions()) ? failure() : verifyRounding();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  for (Value operand : {adaptor.getQuery(), adaptor.getKey(), adaptor.getValue()})
    if (shapeOf(operand).size() != 4)
      return emitOptionalError(location, "query, key and value must have rank 4 (C1)");
  Extents sizes = sizesOf(adaptor);
  Type element = getElementTypeOrSelf(adaptor.getQuery());
  SmallVector<int64_t> shape{sizes.batch, sizes.queryHeads, sizes.queries, sizes.valueSize};
  if (adaptor.getResultLayout() == Layout::Bshd)
    std::swap(shape[1], shape[2]);
  types.push_back(RankedTensorType::get(shape, element));
  if (adaptor.getWithWeights())
    types.push_back(
        RankedTensorType::get({sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys}, element));
  return success();
}

bool AttentionOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

AttentionOp::Extents AttentionOp::getSizes() { return sizesOf(*this); }

double AttentionOp::getScaleValue() {
  return getScale() ? getScale()->convertToDouble() : 1.0 / std::sqrt(double(getSizes().headSize));
}

double AttentionOp::getMaskedScoreValue() {
  if (!getMaskedScore())
    return -std::numeric_limits<double>::infinity();
  double score = getMaskedScore()->convertToDouble();
  // Unless the elements are f64, the softmax may be computed in f32. A finite score must then stay finite when it is
  // converted to f32, because the score -inf would remove the key.
  constexpr double largest = std::numeric_limits<float>::max();
  if (std::isfinite(score) && !getElementTypeOrSelf(getQuery()).isF64())
    score = std::clamp(score, -largest, largest);
  return score;
}
