//===- Attention.cpp - attention from softmax and products ----------------===//
//
// Recognises softmax(scale q k^T + bias, masked) v, starting at the softmax. Scores.cpp matches the operand of the
// softmax, and Probabilities.cpp matches the product of its result with the values. The softmax has the shape [batch..,
// heads, queries, keys]. If it has fewer than four dimensions, there is one head, unless the query was collapsed from a
// 4-d tensor with a dimension for heads.
//
//===----------------------------------------------------------------------===//

#include "Probabilities.h"
#include "Recognisers.h"
#include "Scores.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The parts of a decomposed attention operation, from which `replace` builds a heddle.attention. A view describes the
/// elements of a tensor by strides in another tensor (View.h).
struct Match {
  Probabilities probabilities; // the probabilities and their product with the values
  Scores scores;
  int64_t batch, heads, keyHeads; // extents; `keyHeads` is less than `heads` if query heads share keys and values
  View query, key, value;         // [batch, heads or keyHeads, positions, features]
  double scale;
  SmallVector<View> biases;
  Causal causal = Causal::None;
  SmallVector<std::pair<View, bool>> masks; // each mask, and its value at entries that are not masked
  /// Other tensors that elementwise operations on scores or probabilities read, with their views.
  llvm::MapVector<Value, View> reads;
};

} // namespace

/// Returns whether `value` is computed from a result of `source` by operations in the block of `source`.
static bool dependsOn(Value value, Operation *source) {
  llvm::SetVector<Value> pending;
  pending.insert(value);
  for (unsigned i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    if (op == source)
      return true;
    if (!op || op->getBlock() != source->getBlock() || op->isBeforeInBlock(source))
      continue;
    pending.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), pending);
  }
  return false;
}

/// Returns the extents of batch and heads. If `shape`, the shape of the softmax, has at least four dimensions, the
/// heads are the third dimension from the end, and all dimensions before it are the batch. Otherwise, batch and heads
/// are dimensions of the 4-d tensor from which the left operand of `product` (the query) was collapsed; if there is no
/// such tensor, there is one head.
static std::pair<int64_t, int64_t> findHeads(ArrayRef<int64_t> shape, const Product &product) {
  int64_t count = 1;
  for (int64_t size : shape.drop_back(2))
    count *= size;
  auto split = [&](ArrayRef<int64_t> shape) {
    int64_t heads = shape[shape.size() - 3];
    return std::make_pair(count / heads, heads);
  };
  if (shape.size() >= 4)
    return split(shape);
  Value merged = product.lhs();
  while (auto collapse = merged.getDefiningOp<tensor::CollapseShapeOp>()) {
    merged = collapse.getSrc();
    ArrayRef<int64_t> source = cast<RankedTensorType>(merged.getType()).getShape();
    if (source.size() == 4 && source[0] * source[1] == count && source[2] == product.m && source[3] == product.k)
      return split(source);
  }
  return {count, 1};
}

/// Returns the number of different heads of keys or values: a head that is repeated for a group of query heads counts
/// once. `cut` returns the view of the keys or values with the given batch dimensions.
static int64_t countHeads(int64_t heads, llvm::function_ref<std::optional<View>(ArrayRef<int64_t>)> cut,
                          int64_t batch) {
  for (int64_t group = heads; group > 1; --group)
    if (heads % group == 0)
      if (std::optional<View> view = cut({batch, heads / group, group}); view && view->strides[2] == 0)
        return heads / group;
  return heads;
}

/// Removes the dimension along which a view [batch, keyHeads, group, S, D] repeats each head.
static std::optional<View> dropGroups(std::optional<View> view, int64_t heads, int64_t keyHeads) {
  if (!view || keyHeads == heads)
    return view;
  view->sizes.erase(view->sizes.begin() + 2);
  view->strides.erase(view->strides.begin() + 2);
  return view;
}

/// Sets the views of query, key and value, and the scale. Fails if strides cannot express the views, or if an operand
/// would have to be transposed.
static LogicalResult matchOperands(Match &match, StringRef &reason) {
  const Product &product = match.scores.product, &output = match.probabilities.output;
  int64_t b = match.batch, h = match.heads;
  // The views of keys and values with the given batch dimensions.
  auto cutKey = [&](ArrayRef<int64_t> batch) { return product.rhsView(batch, /*throughFactors=*/true); };
  auto cutValue = [&](ArrayRef<int64_t> batch) { return output.rhsView(batch); };
  match.keyHeads = countHeads(h, cutKey, b);
  if (match.keyHeads != h && countHeads(h, cutValue, b) != match.keyHeads)
    match.keyHeads = h;
  SmallVector<int64_t> cut = {b, match.keyHeads};
  if (match.keyHeads != h)
    cut.push_back(h / match.keyHeads);
  std::optional<View> query = product.lhsView({b, h}, /*throughFactors=*/true);
  std::optional<View> key = dropGroups(cutKey(cut), h, match.keyHeads);
  std::optional<View> value = dropGroups(cutValue(cut), h, match.keyHeads);
  if (!query || !key || !value) {
    reason = "query, key or value does not split into batch and heads as the scores do";
    return failure();
  }
  match.query = *query;
  match.key = key->transposed({0, 1, 3, 2});
  match.value = *value;
  // The last two dimensions of the keys should be transposed, and those of queries and values should not. If some
  // extents happen to be equal, the shapes also match when the keys are not transposed, or when a different pair of
  // dimensions is transposed. Such a product is not recognised, because its operands would have to be transposed first.
  StringRef wrong;
  auto endsInRows = [](const View &view) { return view.sizes.back() == 1 || view.strides.back() == 1; };
  if (!endsInRows(match.query))
    wrong = "the elements of a query are not next to each other: another pair of dimensions is transposed";
  else if (!endsInRows(match.key))
    wrong = "the elements of a key are not next to each other: keys are not transposed, or they are transposed in "
             "another pair of dimensions";
  else if (!endsInRows(match.value))
    wrong = "the elements of a value are not next to each other: another pair of dimensions is transposed";
  if (!wrong.empty()) {
    reason = wrong;
    return failure();
  }
  match.scale = match.scores.factor * query->factor * key->factor;
  return success();
}

/// Finds the views [batch, heads, queries, keys] of masks, of biases and of other tensors that elementwise operations
/// on scores and probabilities read. For a mask that expresses a causal rule, sets `match.causal` instead.
static LogicalResult matchModifiers(Match &match, StringRef &reason) {
  const Scores &scores = match.scores;
  SmallVector<int64_t> sizes = {match.batch, match.heads, scores.product.m, scores.product.n};
  bool removes = scores.maskedScore == -std::numeric_limits<double>::infinity();
  for (const Scores::Mask &mask : scores.masks) {
    std::optional<View> view = traceViewAs(mask.condition, sizes);
    if (!view) {
      reason = "the mask does not split into batch and heads as the scores do";
      return failure();
    }
    Diagonal diagonal = Diagonal::None;
    if (removes && match.causal == Causal::None)
      diagonal = matchCausalMask(*view, mask.attendWhere);
    if (diagonal == Diagonal::None)
      match.masks.push_back({*view, mask.attendWhere});
    else
      match.causal = diagonal == Diagonal::LowerRight ? Causal::LowerRight : Causal::UpperLeft;
  }
  for (Value bias : scores.biases) {
    std::optional<View> view = traceViewAs(bias, sizes);
    if (!view) {
      reason = "the bias does not split into batch and heads as the scores do";
      return failure();
    }
    match.biases.push_back(*view);
  }
  for (const std::optional<ElementGraph> &graph : {scores.graph, match.probabilities.graph})
    for (Value read : graph ? graph->reads.getArrayRef() : ArrayRef<Value>()) {
      std::optional<View> view = traceViewAs(read, sizes);
      if (!view) {
        reason = "a tensor that changes scores or probabilities does not split into batch and heads as the scores do";
        return failure();
      }
      if (dependsOn(read, scores.product.op)) {
        reason = "a tensor that changes scores or probabilities is computed from the scores";
        return failure();
      }
      match.reads.insert({read, *view});
    }
  return success();
}

/// Returns the sum of the biases. Dimensions that no bias depends on have size 1.
static Value buildBias(IRRewriter &rewriter, Location loc, ArrayRef<View> biases) {
  SmallVector<int64_t> sizes(biases.front().rank(), 1);
  for (const View &bias : biases)
    for (unsigned dim = 0; dim < bias.rank(); ++dim)
      if (bias.strides[dim] != 0)
        sizes[dim] = bias.sizes[dim];
  Value result;
  for (View bias : biases) {
    bias.sizes = sizes;
    Value term = materialize(rewriter, loc, bias);
    result = result ? Value(arith::AddFOp::create(rewriter, loc, result, term)) : term;
  }
  return result;
}

/// Combines the masks into a single mask, which is true at the entries that no mask removes.
static Value buildMask(IRRewriter &rewriter, Location loc, ArrayRef<std::pair<View, bool>> masks,
                       ArrayRef<int64_t> sizes) {
  Value result;
  for (const auto &[view, attendWhere] : masks) {
    Value mask = materialize(rewriter, loc, view, /*keepOnes=*/masks.size() == 1);
    if (!attendWhere) {
      auto type = cast<RankedTensorType>(mask.getType());
      Value ones = arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, true));
      mask = arith::XOrIOp::create(rewriter, loc, mask, ones);
    }
    result = result ? Value(arith::AndIOp::create(rewriter, loc, result, mask)) : mask;
  }
  return result;
}

/// Builds a heddle.attention from a match and replaces the uses of the old results by its results.
static void replace(const Match &match, linalg::SoftmaxOp softmax, IRRewriter &rewriter) {
  Location loc = softmax.getLoc();
  rewriter.setInsertionPoint(match.probabilities.output.op);
  Value query = materialize(rewriter, loc, match.query), key = materialize(rewriter, loc, match.key);
  Value value = materialize(rewriter, loc, match.value), bias, mask;
  int64_t b = match.batch, h = match.heads, m = match.scores.product.m, n = match.scores.product.n;
  if (!match.biases.empty())
    bias = buildBias(rewriter, loc, match.biases);
  if (!match.masks.empty())
    mask = buildMask(rewriter, loc, match.masks, {b, h, m, n});
  auto number = [&](std::optional<double> value) { return value ? rewriter.getF64FloatAttr(*value) : FloatAttr(); };

  Type element = getElementTypeOrSelf(query.getType());
  auto resultType = RankedTensorType::get({b, h, m, match.probabilities.output.n}, element);
  auto weightsType = RankedTensorType::get({b, h, m, n}, element);
  SmallVector<Value> reads, views;
  for (const auto &[read, view] : match.reads) {
    reads.push_back(read);
    views.push_back(materialize(rewriter, loc, view, /*keepOnes=*/true));
  }
  double scale = match.scale, masked = match.scores.maskedScore;
  bool usualScale = scale == 1.0 / std::sqrt(double(match.scores.product.k));
  bool removes = !mask || masked == -std::numeric_limits<double>::infinity();
  // The softmax of a row whose scores are all -inf is NaN. `guarded` is whether the model then replaces NaN by 0.
  EmptyRow emptyRow = match.probabilities.guarded ? EmptyRow::NanToZeros : EmptyRow::Nan;
  MLIRContext *context = rewriter.getContext();
  auto attention = AttentionOp::create(
      rewriter, loc, resultType, match.probabilities.areUsed ? weightsType : Type(), query, key, value, bias, mask,
      /*key_lengths=*/Value(), views, usualScale ? FloatAttr() : number(scale), number(match.scores.softcap),
      removes ? FloatAttr() : number(masked), CausalAttr::get(context, match.causal), /*window=*/nullptr,
      EmptyRowAttr::get(context, emptyRow), SoftmaxPrecisionAttr::get(context, SoftmaxPrecision::F32),
      /*rounding=*/TypeAttr(), LayoutAttr::get(context, Layout::Bhsd));
  attention.setWithWeights(match.probabilities.areUsed);
  if (match.scores.graph)
    buildRegion(rewriter, attention, attention.getScore(), *match.scores.graph, reads);
  if (match.probabilities.graph)
    buildRegion(rewriter, attention, attention.getProbability(), *match.probabilities.graph, reads);

  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  Value old = match.probabilities.output.result();
  rewriter.replaceAllUsesWith(old, reshape(rewriter, loc, attention.getResult(), shapeOf(old)));
  if (match.probabilities.areUsed) {
    Value probabilities = reshape(rewriter, loc, attention.getWeights(), shapeOf(match.probabilities.value));
    rewriter.replaceAllUsesWith(match.probabilities.value, probabilities);
    sortTopologically(attention->getBlock()); // move other users of the probabilities after the attention
  }
}

LogicalResult heddle::recogniseAttention(Operation *op, Recognition &recognition) {
  auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
  if (!softmax)
    return failure();
  if (!hasStaticShapes(op))
    return recognition.reject(op, "its tensors do not have static sizes above 0");
  ArrayRef<int64_t> shape = cast<RankedTensorType>(softmax.getInput().getType()).getShape();
  if (shape.size() < 2 || softmax.getDimension() != shape.size() - 1)
    return recognition.reject(op, "softmax over dimension " + Twine(softmax.getDimension()) +
                                      ", not over the last one");
  StringRef reason;
  Match match;
  std::optional<Probabilities> probabilities = matchProbabilities(softmax, reason);
  if (!probabilities)
    return recognition.reject(op, reason);
  match.probabilities = *probabilities;
  if (match.probabilities.areUsed && dependsOn(match.probabilities.output.rhs(), op))
    return recognition.reject(op, "the values are computed from the result of the softmax");
  std::optional<Scores> scores = matchScores(softmax.getInput(), reason);
  if (!scores)
    return recognition.reject(op, "its operand is not a matrix of attention scores: " + reason);
  match.scores = *scores;
  const Product &product = match.scores.product;
  if (product.m != shape[shape.size() - 2] || product.n != shape.back())
    return recognition.reject(op, "the scores are reshaped before the softmax, so its rows are not rows of the scores");
  if (match.probabilities.output.m != product.m || match.probabilities.output.k != product.n)
    return recognition.reject(op, "the probabilities are reshaped between the softmax and the product with the values");
  // If there are no keys, the product with the values is an empty sum, which is 0, whereas heddle.attention would
  // divide 0 by 0.
  if (Sizes(op).of(product.n).low() == 0)
    return recognition.reject(op, "the number of keys is 0 at some sizes");
  std::tie(match.batch, match.heads) = findHeads(shape, product);
  if (failed(matchOperands(match, reason)) || failed(matchModifiers(match, reason)))
    return recognition.reject(op, reason);
  if (match.scores.masks.size() && std::isnan(match.scores.maskedScore))
    return recognition.reject(op, "the score of masked entries is NaN");

  replace(match, softmax, recognition.rewriter);
  return success();
}
