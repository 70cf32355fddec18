//===- Scores.cpp - attention scores --------------------------------------===//

#include "Scores.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// The steps between the query-key product and the softmax. The search goes backwards from the softmax, so it finds the
/// masks first and the scale last.
enum Step { AtMasks, AtBiases, AtSoftcap, AtScale };

/// The maximum number of sums on a path from the softmax to the product. The search tries both operands of each sum,
/// because either may be the scores.
constexpr unsigned maxSums = 4;
/// The maximum number of operations on a path from the softmax to the product.
constexpr unsigned maxSteps = 64;

/// Matches `value` as scores and adds its parts to `scores`. `step` is the last step that the search has found, and
/// `sums` is the number of sums on the path from the softmax. Returns false and sets `reason` if there is no match.
static bool match(Value value, Scores &scores, Step step, unsigned sums, StringRef &reason);

/// Matches a mask: a select in which one of the two values is a constant number, the score of masked entries.
static bool matchMask(arith::SelectOp select, Scores &scores, unsigned sums, StringRef &reason) {
  std::optional<double> whenTrue = matchNumber(select.getTrueValue());
  std::optional<double> whenFalse = matchNumber(select.getFalseValue());
  if (whenTrue.has_value() == whenFalse.has_value()) {
    reason = "a select between scores and another tensor is not a mask";
    return false;
  }
  if (!isa<RankedTensorType>(select.getCondition().getType())) {
    reason = "the mask is one boolean for all scores";
    return false;
  }
  double masked = whenTrue ? *whenTrue : *whenFalse;
  if (!scores.masks.empty() && masked != scores.maskedScore) {
    reason = "two masks assign different scores to masked entries";
    return false;
  }
  scores.maskedScore = masked;
  scores.masks.push_back({select.getCondition(), whenFalse.has_value()});
  return match(whenTrue ? select.getFalseValue() : select.getTrueValue(), scores, AtMasks, sums, reason);
}

/// Matches a sum. Either operand may be the scores; the other one is the bias.
static bool matchBias(arith::AddFOp add, Scores &scores, unsigned sums, StringRef &reason) {
  if (sums == maxSums) {
    reason = "too many tensors are added to the scores";
    return false;
  }
  Scores tried = scores;
  StringRef first, second;
  if (match(add.getLhs(), tried, AtBiases, sums + 1, first)) {
    scores = tried;
    scores.biases.push_back(add.getRhs());
    return true;
  }
  tried = scores;
  if (match(add.getRhs(), tried, AtBiases, sums + 1, second)) {
    scores = tried;
    scores.biases.push_back(add.getLhs());
    return true;
  }
  // Neither operand matches. Report the reason for the operand that is more likely to be the scores.
  Operation *left = peelReshapes(add.getLhs()).getDefiningOp();
  reason = isa_and_nonnull<arith::SelectOp, arith::AddFOp, arith::MulFOp, arith::DivFOp, math::TanhOp>(left) ? first
                                                                                                             : second;
  return false;
}

static bool match(Value value, Scores &scores, Step step, unsigned sums, StringRef &reason) {
  if (++scores.steps > maxSteps) {
    reason = "too many operations lie between the softmax and a product";
    return false;
  }
  value = peelReshapes(value);
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    if (step == AtMasks)
      return matchMask(select, scores, sums, reason);
    reason = "scores are masked before a bias, the softcap or the scale is applied";
    return false;
  }
  if (auto scaled = matchScaled(value)) {
    scores.factor *= scaled->second;
    return match(scaled->first, scores, step == AtSoftcap ? AtSoftcap : AtScale, sums, reason);
  }
  if (auto add = dyn_cast_or_null<arith::AddFOp>(op)) {
    if (step <= AtBiases)
      return matchBias(add, scores, sums, reason);
    reason = "a bias is added before the scale or the softcap is applied";
    return false;
  }
  if (auto tanh = dyn_cast_or_null<math::TanhOp>(op)) {
    if (scores.softcap || scores.factor <= 0) {
      reason = "tanh of the scores is not a softcap: tanh is applied twice, or its result has a factor that is not "
               "positive";
      return false;
    }
    // c * tanh(f * product) applies the softcap c to the scores c * f * product.
    scores.softcap = scores.factor;
    return match(tanh.getOperand(), scores, AtSoftcap, sums, reason);
  }
  auto product = matchProduct(op, reason);
  if (!product)
    return false;
  scores.product = *product;
  return true;
}

/// If `value` is a product (through reshapes), returns the product and the factor 1. With `throughFactors`, `value` may
/// also be a product that is multiplied by numbers; then returns the product and the factor.
static std::optional<std::pair<Product, double>> matchScaledProduct(Value value, bool throughFactors) {
  StringRef ignored;
  double factor = 1.0;
  for (unsigned step = 0; step < maxSteps; ++step) {
    value = peelReshapes(value);
    if (Operation *op = value.getDefiningOp())
      if (std::optional<Product> product = matchProduct(op, ignored))
        return std::make_pair(*product, factor);
    auto scaled = throughFactors ? matchScaled(value) : std::nullopt;
    if (!scaled)
      break;
    value = scaled->first;
    factor *= scaled->second;
  }
  return std::nullopt;
}

static bool isProduct(Value value) { return matchScaledProduct(value, /*throughFactors=*/false).has_value(); }
static bool isScaledProduct(Value value) { return matchScaledProduct(value, /*throughFactors=*/true).has_value(); }

/// Returns whether a mask is computed from the product of the scores, so that operations other than the attention would
/// need this product.
static bool masksByScores(const Scores &scores) {
  auto isScores = [&](Value value) { return value.getDefiningOp() == scores.product.op; };
  return llvm::any_of(scores.masks,
                      [&](const Scores::Mask &mask) { return isComputedFrom(mask.condition, isScores); });
}

/// Matches scores that arbitrary elementwise operations compute from a product. With `masked`, masks may follow these
/// operations, and become `Scores::masks`. Without `masked`, a mask is one of the elementwise operations.
static std::optional<Scores> matchChangedScores(Value value, bool masked, StringRef &reason) {
  Scores scores;
  value = peelReshapes(value);
  while (auto select = masked ? value.getDefiningOp<arith::SelectOp>() : arith::SelectOp()) {
    std::optional<double> whenTrue = matchNumber(select.getTrueValue());
    std::optional<double> whenFalse = matchNumber(select.getFalseValue());
    if (whenTrue.has_value() == whenFalse.has_value() || !isa<RankedTensorType>(select.getCondition().getType()))
      break;
    double score = whenTrue ? *whenTrue : *whenFalse;
    if (std::isnan(score) || (!scores.masks.empty() && score != scores.maskedScore))
      break;
    scores.maskedScore = score;
    scores.masks.push_back({select.getCondition(), whenFalse.has_value()});
    value = peelReshapes(whenTrue ? select.getFalseValue() : select.getTrueValue());
  }
  scores.graph = matchElementGraph(value, isScaledProduct, reason);
  if (!scores.graph)
    scores.graph = matchElementGraph(value, isProduct, reason);
  if (!scores.graph)
    return std::nullopt;
  std::tie(scores.product, scores.factor) = *matchScaledProduct(scores.graph->leaf, /*throughFactors=*/true);
  return masksByScores(scores) ? std::nullopt : std::optional(scores);
}

std::optional<Scores> heddle::matchScores(Value value, StringRef &reason) {
  Scores scores;
  if (match(value, scores, AtMasks, /*sums=*/0, reason) && !masksByScores(scores))
    return scores;
  StringRef ignored;
  for (bool masked : {true, false})
    if (std::optional<Scores> changed = matchChangedScores(value, masked, ignored))
      return changed;
  if (reason.empty())
    reason = ignored;
  return std::nullopt;
}

/// Evaluates an index that is computed from constants and sizes. The value of a size is its placeholder, the number
/// that represents it in types. Returns nothing for other indices.
static std::optional<int64_t> atPlaceholders(Value index, const Sizes &sizes) {
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (auto size = index.getDefiningOp<SizeOp>())
    return sizes.placeholderFor(*sizes.find(size.getName()));
  Operation *op = index.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<int64_t> x = atPlaceholders(op->getOperand(0), sizes), y = atPlaceholders(op->getOperand(1), sizes);
  if (!x || !y)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? *x + *y : isa<arith::SubIOp>(op) ? *x - *y : *x * *y;
}

/// Matches an operation that computes a causal mask from indices. The importers build such an operation if sizes lie in
/// ranges. Element [.., i, j] is `attendWhere` for j <= i + d, and its negation for other j. Returns d.
static std::optional<int64_t> matchDiagonal(linalg::GenericOp op, bool attendWhere) {
  if (op.getNumDpsInputs() != 0 || op->getNumResults() != 1 || op.getNumLoops() < 2 ||
      !op.getIndexingMapsArray().front().isIdentity())
    return std::nullopt;
  auto isIndex = [&](Value value, unsigned fromLast) {
    auto index = value.getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() == op.getNumLoops() - fromLast;
  };
  auto compare = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::CmpIOp>();
  auto last = compare ? compare.getRhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  bool isDiagonal = last && isIndex(compare.getLhs(), 1) && isIndex(last.getLhs(), 2) &&
                    compare.getPredicate() == (attendWhere ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sgt);
  return isDiagonal ? atPlaceholders(last.getRhs(), Sizes(op)) : std::nullopt;
}

Diagonal heddle::matchCausalMask(const View &view, bool attendWhere) {
  int64_t queries = view.sizes[view.rank() - 2], keys = view.sizes.back();
  int64_t rowStride = view.strides[view.rank() - 2], columnStride = view.strides.back();
  if (auto generic = view.base.getDefiningOp<linalg::GenericOp>()) {
    bool isWhole = columnStride == 1 && rowStride == keys && generic.getStaticLoopRanges().back() == keys;
    std::optional<int64_t> diagonal = isWhole ? matchDiagonal(generic, attendWhere) : std::nullopt;
    return diagonal == keys - queries ? Diagonal::LowerRight : diagonal == 0 ? Diagonal::UpperLeft : Diagonal::None;
  }
  for (unsigned dim = 0; dim + 2 < view.rank(); ++dim)
    if (view.strides[dim] != 0)
      return Diagonal::None;
  DenseElementsAttr elements;
  if (!matchPattern(view.base, m_Constant(&elements)) || !elements.getElementType().isInteger(1) ||
      elements.isSplat())
    return Diagonal::None;
  auto values = elements.getValues<bool>();
  auto holds = [&](int64_t offset) {
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t j = 0; j < keys; ++j)
        if (values[i * rowStride + j * columnStride] != (j <= i + offset ? attendWhere : !attendWhere))
          return false;
    return true;
  };
  // A mask with one element expresses no rule.
  if (queries * keys > 1 && holds(keys - queries))
    return Diagonal::LowerRight;
  if (queries * keys > 1 && holds(0))
    return Diagonal::UpperLeft;
  return Diagonal::None;
}
