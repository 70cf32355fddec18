//===- LinearAttention.cpp - linear attention -----------------------------===//
//
// Recognises scale f(q) (f(k)^T v) with the feature map f(x) = elu(x) + 1, starting at the last product. Two products
// are not recognised as linear attention if the query or the key has no feature map.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "Recognisers.h"

#include "Heddle.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

/// Matches `value` = x > 0 ? x : exp(x) - 1, the exponential linear unit; returns x.
static Value matchElu(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compare || matchNumber(compare.getRhs()) != 0.0)
    return {};
  Value x = compare.getLhs(), positive = select.getTrueValue(), negative = select.getFalseValue();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    break;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULT:
  case arith::CmpFPredicate::ULE:
    std::swap(positive, negative);
    break;
  default:
    return {};
  }
  if (positive != x)
    return {};
  if (auto scaled = matchScaled(negative); scaled && scaled->second == 1.0) // alpha, a parameter of ELU, must be 1
    negative = scaled->first;
  Value argument;
  if (auto expm1 = negative.getDefiningOp<math::ExpM1Op>())
    argument = expm1.getOperand();
  else if (auto shifted = matchShifted(negative); shifted && shifted->second == -1.0)
    if (auto exp = shifted->first.getDefiningOp<math::ExpOp>())
      argument = exp.getOperand();
  // Some exporters clamp the argument of exp to at most 0, which prevents an overflow for positive x. The select does
  // not use exp for positive x, so the clamp does not change the result.
  if (argument)
    if (auto minimum = argument.getDefiningOp<arith::MinimumFOp>())
      if (matchNumber(minimum.getRhs()) == 0.0)
        argument = minimum.getLhs();
  return argument == x ? x : Value();
}

/// If the base of the view (the tensor to whose elements its strides refer, see View.h) is elu(x) + 1, returns the view
/// with the base x. Otherwise returns nothing.
static std::optional<View> matchFeatureMap(std::optional<View> view) {
  if (!view)
    return std::nullopt;
  auto shifted = matchShifted(view->base);
  Value x = shifted && shifted->second == 1.0 ? matchElu(shifted->first) : Value();
  if (!x)
    return std::nullopt;
  view->base = x;
  return view;
}

LogicalResult heddle::recogniseLinearAttention(Operation *op, Recognition &recognition) {
  StringRef reason;
  std::optional<Product> last = matchProduct(op, reason);
  if (!last)
    return failure();
  std::optional<Product> first = matchProduct(peelReshapes(last->rhs()).getDefiningOp(), reason);
  if (!first)
    return failure();
  ArrayRef<int64_t> batch = last->batch;
  // The result of the first product must not be transposed before the second product. If this result is square, its
  // shape does not show a transpose, so compare the strides of its view.
  std::optional<View> inner = last->rhsView(batch);
  if (first->m != last->k || first->n != last->n || !inner || inner->base != first->result() || !inner->isContiguous())
    return recognition.reject(op, "the result of the first product is reshaped or transposed before the second");
  auto query = matchFeatureMap(last->lhsView(batch, /*throughFactors=*/true));
  auto key = matchFeatureMap(first->lhsView(batch, /*throughFactors=*/true));
  std::optional<View> value = first->rhsView(batch);
  if (!query || !key)
    return recognition.reject(op, "the query or the key has no feature map elu(x) + 1");
  if (!value)
    return recognition.reject(op, "the values do not split into batches as the result does");

  IRRewriter &rewriter = recognition.rewriter;
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  // Swap the last two dimensions, because the product contains the transposed key.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, batch.size()));
  order.append({int64_t(batch.size()) + 1, int64_t(batch.size())});
  double scale = query->factor * key->factor;
  Value q = materialize(rewriter, loc, *query), k = materialize(rewriter, loc, key->transposed(order));
  Value v = materialize(rewriter, loc, *value);
  auto attention = LinearAttentionOp::create(rewriter, loc, last->result().getType(), q, k, v,
                                             rewriter.getF64FloatAttr(scale),
                                             FeatureMapAttr::get(op->getContext(), FeatureMap::EluPlusOne),
                                             /*normalized=*/UnitAttr());
  rewriter.replaceAllUsesWith(op->getResult(0), attention.getResult());
  return success();
}
