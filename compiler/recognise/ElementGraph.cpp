//===- ElementGraph.cpp - elementwise operations in attention -------------===//

#include "ElementGraph.h"
#include "Match.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of values that a search visits. Without a limit, a search could take a long time in large models.
/// matchElementGraph fails if its search visits this number of values.
static constexpr size_t maxValues = 256;

bool heddle::isElementwise(Operation *op) {
  auto type = op && op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                             : RankedTensorType();
  return type && op->getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperandTypes(), [&](Type operand) {
           auto tensor = dyn_cast<RankedTensorType>(operand);
           return tensor && tensor.getShape() == type.getShape();
         });
}

/// Returns the constant to which all elements of `value` are equal, or null if there is none.
static TypedAttr splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(traceView(value).base, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return elements.getSplatValue<TypedAttr>();
}

namespace {
/// Searches backwards from a value, through elementwise operations and reshapes, for values that `isLeaf` accepts.
struct Walk {
  explicit Walk(llvm::function_ref<bool(Value)> isLeaf) : isLeaf(isLeaf) {}

  llvm::function_ref<bool(Value)> isLeaf;
  llvm::SetVector<Value> leaves; // the accepted values
  SmallVector<Operation *> ops;  // operations that depend on a leaf; an operation follows its operands
  DenseMap<Value, bool> known;   // whether a visited value depends on a leaf

  /// Returns whether `value` depends on a leaf.
  bool visit(Value value) {
    value = peelReshapes(value);
    if (auto found = known.find(value); found != known.end())
      return found->second;
    if (known.size() == maxValues)
      return false;
    known[value] = false;
    bool depends = isLeaf(value);
    if (depends) {
      leaves.insert(value);
    } else if (Operation *op = value.getDefiningOp(); isElementwise(op)) {
      for (Value operand : op->getOperands())
        depends |= visit(operand);
      if (depends)
        ops.push_back(op);
    }
    return known[value] = depends;
  }
};
} // namespace

bool heddle::isComputedFrom(Value value, llvm::function_ref<bool(Value)> isLeaf) { return Walk(isLeaf).visit(value); }

std::optional<ElementGraph> heddle::matchElementGraph(Value result, llvm::function_ref<bool(Value)> isLeaf,
                                                      StringRef &reason) {
  Walk walk(isLeaf);
  if (!walk.visit(result) || walk.known.size() == maxValues) {
    reason = "the scores are not computed from a product by elementwise operations, or too many operations compute "
             "them";
    return std::nullopt;
  }
  if (walk.leaves.size() != 1) {
    reason = "the scores are computed from several products";
    return std::nullopt;
  }
  if (getElementTypeOrSelf(walk.leaves.front()) != getElementTypeOrSelf(result)) {
    reason = "the element type changes between the product and the softmax";
    return std::nullopt;
  }
  ElementGraph graph{walk.leaves.front(), peelReshapes(result), walk.ops, {}};
  for (Operation *op : graph.ops)
    for (Value operand : op->getOperands())
      if (!walk.known.lookup(peelReshapes(operand)) && !splatOf(operand))
        graph.reads.insert(operand);
  return graph;
}

void heddle::buildRegion(OpBuilder &b, AttentionOp op, Region &region, const ElementGraph &graph,
                         ArrayRef<Value> reads) {
  Location loc = op.getLoc();
  SmallVector<Type> types = op.getRegionTypes();
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), loc));
  DenseMap<Value, Value> scalars = {{graph.leaf, body->getArgument(0)}};
  // The first five arguments are a score or probability and the indices of its batch entry, head, query and key.
  for (auto [read, argument] : llvm::zip_equal(reads, body->getArguments().drop_front(5)))
    scalars[read] = argument;
  auto scalarOf = [&](Value tensor) -> Value {
    for (Value value : {tensor, peelReshapes(tensor)})
      if (Value scalar = scalars.lookup(value))
        return scalar;
    return arith::ConstantOp::create(b, loc, splatOf(tensor));
  };
  for (Operation *inner : graph.ops) {
    IRMapping operands;
    for (Value operand : inner->getOperands())
      operands.map(operand, scalarOf(operand));
    Operation *scalar = b.clone(*inner, operands);
    scalar->getResult(0).setType(getElementTypeOrSelf(inner->getResult(0)));
    scalars[inner->getResult(0)] = scalar->getResult(0);
  }
  YieldOp::create(b, loc, scalarOf(graph.result));
}
