//===- FoldPlan.cpp - decides which ops are folded, and how ---------------===//

#include "FoldVectorizer.h"
#include "TileShape.h"

#include "ReadNotes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// If the body of `op` combines a term with the accumulator by the compare and select that the function `extremum`
/// emits for a maximum or minimum, returns the compare. Otherwise returns null.
static arith::CmpFOp findExtremum(linalg::LinalgOp op) {
  auto choice = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto order = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  bool isExtremum =
      order && llvm::is_contained({arith::CmpFPredicate::OGT, arith::CmpFPredicate::OLT}, order.getPredicate()) &&
      order.getLhs() == choice.getTrueValue() && order.getRhs() == choice.getFalseValue() &&
      order.getRhs() == op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  return isExtremum ? order : arith::CmpFOp();
}

/// Returns whether the body of `op` combines a term with the accumulator by operations that can also combine partial
/// results: a known associative op, or a maximum or minimum.
static bool isAssociative(linalg::LinalgOp op) { return combinerOf(op, 0) || findExtremum(op); }

/// Returns the infinity that is the first partial result of a maximum or minimum by compare and select; null for any
/// other op. The first term may be NaN, which a compare and select would keep as a partial result.
static TypedAttr findFirst(linalg::LinalgOp op) {
  arith::CmpFOp order = findExtremum(op);
  if (!order && !isExtremumOfNumber(op, 0))
    return {};
  bool isMaximum = order ? order.getPredicate() == arith::CmpFPredicate::OGT : isa<arith::MaxNumFOp>(combinerOf(op, 0));
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getDpsInitOperand(0)->get()));
  return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), isMaximum));
}

/// Splits the body into `combines`, the ops that depend on the accumulator, and `terms`, all other ops; both contain
/// the constants. Returns false if the ops in `combines` do not use exactly one other value of the body, or if the body
/// cannot be folded.
static bool splitBody(linalg::LinalgOp op, FoldPlan &plan) {
  if (!isAssociative(op))
    return false;
  Value accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  DenseSet<Value> joined = {accumulator};
  SetVector<Value> terms;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      plan.terms.push_back(&inner);
      plan.combines.push_back(&inner);
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&inner) || inner.getNumResults() != 1)
      return false;
    bool combines = llvm::any_of(inner.getOperands(), [&](Value value) { return joined.contains(value); });
    (combines ? plan.combines : plan.terms).push_back(&inner);
    if (!combines)
      continue;
    joined.insert(inner.getResult(0));
    for (Value operand : inner.getOperands())
      if (!joined.contains(operand) && operand.getParentBlock() == op.getBlock() &&
          !matchPattern(operand, m_Constant()))
        terms.insert(operand);
  }
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  if (terms.size() != 1 || result == accumulator || !joined.contains(result))
    return false;
  plan.term = terms.front();
  return true;
}

/// Chooses the rows and columns of the tile. By default, it has one row and as many columns as an accumulator has
/// lanes. If an operand is prefetched because it is read only once, the tile has up to three rows, and registers limit
/// the number of its columns: each column needs an accumulator for each row. One vector that is read and one vector of
/// each row need registers, too.
static void chooseColumns(linalg::LinalgOp op, const VectorOptions &options, FoldPlan &plan) {
  plan.columns = plan.width;
  int64_t registers = options.registers * options.lanes / plan.width;
  if (!notes::prefetchBytes.has(op) || plan.outer.empty())
    return;
  int64_t all = op.getStaticLoopRanges()[plan.outer.back()];
  if (ShapedType::isDynamic(all))
    return;
  for (int64_t rows = std::min<int64_t>(llvm::divideCeil(all, llvm::divideCeil(all, 3)), 3); rows > 1; --rows) {
    int64_t columns = (registers - rows - 1) / rows;
    if (columns < 4)
      continue;
    plan.rows = rows;
    plan.columns = std::min<int64_t>(llvm::bit_floor(uint64_t(columns)), plan.width);
    return;
  }
}

std::optional<FoldPlan> heddle::planFold(linalg::LinalgOp op, const VectorOptions &options) {
  FoldPlan plan;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return std::nullopt;
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray()))
    type == utils::IteratorType::parallel ? plan.outer.push_back(dim) : void(plan.reduced = dim);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (plan.outer.size() + 1 != sizes.size() || !result.isProjectedPermutation() ||
      result.getNumResults() != plan.outer.size() || plan.outer.empty())
    return std::nullopt;
  plan.lane = result.getDimPosition(result.getNumResults() - 1);
  llvm::erase(plan.outer, plan.lane);
  // The reduced dimension must be static, since it must fill at least one vector. The number of results may be dynamic.
  if (ShapedType::isDynamic(sizes[plan.reduced]))
    return std::nullopt;
  bool found = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<ShapedType>(input->get().getType()))
      continue;
    if (!map.isProjectedPermutation())
      return std::nullopt;
    std::optional<unsigned> at = map.getResultPosition(getAffineDimExpr(plan.reduced, op.getContext()));
    if (at && *at != map.getNumResults() - 1)
      return std::nullopt;
    found |= at.has_value();
  }
  // A tile has as many accumulators as an accumulator has lanes. Each also needs a register for its next term.
  plan.width =
      std::min<int64_t>(chooseSquareTile(/*perLane=*/2, options), llvm::bit_floor(uint64_t(sizes[plan.reduced])));
  if (!found || !splitBody(op, plan))
    return std::nullopt;
  plan.first = findFirst(op);
  chooseColumns(op, options, plan);
  return plan;
}
