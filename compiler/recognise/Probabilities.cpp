//===- Probabilities.cpp - attention probabilities and their uses ---------===//

#include "Probabilities.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Matches select(isnan(p), 0, p), where p is the result of a softmax. PyTorch adds this select, because a row in which
/// all keys are masked is NaN. (The select also replaces rows that are NaN for another reason.) If no select uses p,
/// returns p itself as the probabilities. Returns nothing if another kind of select uses p, or if p has uses other than
/// the select and its test.
static std::optional<Probabilities> matchGuard(linalg::SoftmaxOp softmax) {
  Value p = softmax.getResult()[0];
  arith::SelectOp guard;
  for (Operation *user : p.getUsers())
    if (auto select = dyn_cast<arith::SelectOp>(user))
      guard = select;
  if (!guard)
    return Probabilities{p};
  auto isNan = [&](Value condition) {
    Operation *op = condition.getDefiningOp();
    if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op))
      return compare.getLhs() == p && compare.getRhs() == p &&
             (compare.getPredicate() == arith::CmpFPredicate::UNO ||
              compare.getPredicate() == arith::CmpFPredicate::UNE);
    if (auto test = dyn_cast_or_null<math::IsNaNOp>(op))
      return test.getOperand() == p;
    return false;
  };
  Operation *test = guard.getCondition().getDefiningOp();
  bool onlyGuarded = llvm::all_of(p.getUsers(), [&](Operation *user) { return user == guard || user == test; });
  if (!onlyGuarded || !isNan(guard.getCondition()) || matchNumber(guard.getTrueValue()) != 0.0 ||
      guard.getFalseValue() != p)
    return std::nullopt;
  return Probabilities{guard.getResult(), true};
}

/// Returns the product whose left operand is `probabilities` (through reshapes). Sets `others` to true if another
/// operation uses `probabilities`.
static std::optional<Product> findOutput(Value probabilities, bool &others, StringRef &reason) {
  std::optional<Product> found;
  reason = "its result is not the left operand of a product with the values";
  SmallVector<Value> pending = {probabilities};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
        pending.push_back(user->getResult(0));
        continue;
      }
      StringRef ignored;
      std::optional<Product> product;
      if (!found && use.getOperandNumber() == 0)
        product = matchProduct(user, ignored);
      // A product of the probabilities with themselves, or a product that sums over the queries, is another use.
      if (product && product->lhs() == value && product->rhs() != value &&
          llvm::equal(product->lhsOrder, llvm::seq<int64_t>(0, product->lhsOrder.size())))
        found = product;
      else
        others = true;
    }
  }
  return found;
}

/// Returns the product whose left operand is computed from `probabilities` by elementwise operations, if
/// `probabilities` has no other use. Sets `graph` to these operations.
static std::optional<Product> findChangedOutput(Value probabilities, std::optional<ElementGraph> &graph) {
  std::optional<Product> found;
  llvm::SetVector<Value> values;
  values.insert(probabilities);
  for (unsigned i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      StringRef ignored;
      std::optional<Product> product = use.getOperandNumber() == 0 ? matchProduct(user, ignored) : std::nullopt;
      if (product && product->lhs() == values[i] && !found &&
          llvm::equal(product->lhsOrder, llvm::seq<int64_t>(0, product->lhsOrder.size()))) {
        found = product;
        graph = matchElementGraph(values[i], [&](Value value) { return value == probabilities; }, ignored);
        continue;
      }
      if (!isElementwise(user) && !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        return std::nullopt;
      values.insert(user->getResult(0));
    }
  if (!found || !graph)
    return std::nullopt;
  // All values that are computed from the probabilities must contribute to the left operand of the product.
  bool isAll = llvm::all_of(values, [&](Value value) {
    value = peelReshapes(value);
    return value == graph->leaf || llvm::is_contained(graph->ops, value.getDefiningOp());
  });
  return isAll ? found : std::nullopt;
}

std::optional<Probabilities> heddle::matchProbabilities(linalg::SoftmaxOp softmax, StringRef &reason) {
  std::optional<Probabilities> probabilities = matchGuard(softmax);
  std::optional<Product> output;
  if (probabilities)
    output = findOutput(probabilities->value, probabilities->areUsed, reason);
  else
    reason = "a select on its result does something other than replace NaN by 0";
  if (!output) {
    probabilities = probabilities.value_or(Probabilities{softmax.getResult()[0]});
    output = findChangedOutput(probabilities->value, probabilities->graph);
    probabilities->areUsed = false;
  }
  if (!output)
    return std::nullopt;
  probabilities->output = *output;
  return probabilities;
}
