//===- KernelGroups.cpp - operations that share a kernel ------------------===//

#include "KernelGroups.h"

#include "Heddle.h"
#include "heddle/RowSelect.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of scalar operations in a kernel. In a kernel of this length, the cost of a call is negligible,
/// while LLVM's compile time grows faster than linearly with the length of a function.
static constexpr size_t longKernel = 1024;

/// The maximum number of insertions and reshapes in a kernel, for the same reason.
static constexpr size_t maxInsertions = 32;

static bool isSlice(Operation *op) { return isa<tensor::ExtractSliceOp, DequantizeOp>(op); }

/// Returns whether `op` is a row select and the only user of a layer's result, and the layer can skip the inactive
/// rows. A row select sets the inactive rows of its operand to 0, that is, the rows for which an activity mask is 0,
/// such as rows of padding.
static bool isEpilogue(Operation *op) {
  std::optional<RowSelect> select = matchRowSelect(op);
  auto layer = select ? select->value->get().getDefiningOp<LayerOpInterface>() : LayerOpInterface();
  return layer && layer->hasOneUse() && layer->getBlock() == op->getBlock() && layer.canLeaveRowsOut() &&
         selectsRows(layer, *select);
}

KernelRole heddle::getKernelRole(Operation *op) {
  if (isa<WeightOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return KernelRole::InMain;
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return KernelRole::Leaf;
  bool scalar = llvm::none_of(op->getResultTypes(), [](Type type) { return isa<TensorType>(type); });
  if (scalar && isMemoryEffectFree(op)) // isPure would exclude divisions, which must not be speculated
    return KernelRole::Leaf;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    if (fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
      return KernelRole::Leaf;
  if (isReshape(op))
    return KernelRole::View;
  if (isSlice(op))
    return KernelRole::Slice;
  if (OpTrait::hasElementwiseMappableTraits(op))
    return KernelRole::Elementwise;
  if (isEpilogue(op))
    return KernelRole::Epilogue;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (linalgOp && linalgOp.getNumLoops() == linalgOp.getNumParallelLoops())
    return KernelRole::Elementwise;
  return KernelRole::Root;
}

Value heddle::getViewSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op) && !isSlice(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool heddle::isClonedIntoKernels(Value value) {
  Operation *op = getViewSource(value).getDefiningOp();
  return op && getKernelRole(op) == KernelRole::Leaf;
}

bool heddle::isSliced(Value value) {
  for (Operation *op = value.getDefiningOp(); op && (isReshape(op) || isSlice(op));
       op = op->getOperand(0).getDefiningOp())
    if (isSlice(op))
      return true;
  return false;
}

llvm::SetVector<Value> heddle::getInputs(Operation *op) {
  llvm::SetVector<Value> inputs(op->getOperands().begin(), op->getOperands().end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

/// Returns the number of elements of a tensor of static shape; -1 for other values.
static int64_t countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : -1;
}

std::optional<unsigned> KernelGroups::lookup(Operation *op) const {
  auto it = groupOf.find(op);
  return it == groupOf.end() ? std::nullopt : std::optional(it->second);
}

/// Returns the groups that `op` reads from, directly or through views, slices and cloned operations.
llvm::SetVector<unsigned> KernelGroups::getProducers(Operation *op) const {
  llvm::SetVector<unsigned> producers;
  SmallVector<Value> todo = llvm::to_vector(getInputs(op));
  while (!todo.empty()) {
    Operation *producer = todo.pop_back_val().getDefiningOp();
    if (!producer)
      continue;
    if (std::optional<unsigned> group = lookup(producer))
      producers.insert(*group);
    else
      llvm::append_range(todo, getInputs(producer));
  }
  return producers;
}

/// Returns whether `group` reads from the group `on`, directly or through other groups.
bool KernelGroups::dependsOn(unsigned group, unsigned on) const {
  llvm::SetVector<unsigned> reached;
  reached.insert(group);
  for (unsigned i = 0; i < reached.size(); ++i) {
    if (reached[i] == on)
      return true;
    for (Operation *op : groups[reached[i]].ops)
      reached.set_union(getProducers(op));
  }
  return false;
}

bool KernelGroups::canMerge(unsigned a, unsigned b) const {
  auto leadsThroughAnother = [&](unsigned from, unsigned to) {
    for (Operation *op : groups[to].ops)
      for (unsigned producer : getProducers(op))
        if (producer != from && producer != to && dependsOn(producer, from))
          return true;
    return false;
  };
  return !leadsThroughAnother(a, b) && !leadsThroughAnother(b, a);
}

/// Returns the number of scalar operations in the bodies of a group.
static size_t countOperations(const KernelGroup &group) {
  size_t count = 0;
  for (Operation *op : group.ops)
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      count += linalgOp.getBlock()->getOperations().size() - 1;
    else
      ++count;
  return count;
}

/// Merges the elementwise operation `op` with the groups of those elementwise producers that have as many elements as
/// `op`, unless this would create a cycle of calls or too long a kernel.
void KernelGroups::addElementwise(Operation *op) {
  unsigned own = groups.size();
  groups.push_back({{op}});
  groupOf[op] = own;
  int64_t elements = countElements(op->getResult(0));
  for (Value input : getInputs(op)) {
    Operation *producer = input.getDefiningOp();
    std::optional<unsigned> group = producer ? lookup(producer) : std::nullopt;
    if (!group || *group == groupOf[op] || getKernelRole(producer) != KernelRole::Elementwise ||
        countElements(input) != elements || !canMerge(*group, groupOf[op]) ||
        countOperations(groups[*group]) + countOperations(groups[groupOf[op]]) > longKernel)
      continue;
    unsigned from = groupOf[op];
    for (Operation *moved : groups[from].ops)
      groupOf[moved] = *group;
    llvm::append_range(groups[*group].ops, groups[from].ops);
    groups[from].ops.clear();
  }
}

/// Adds the row select to the layer's group, unless the activity mask is computed from the layer's result.
void KernelGroups::addEpilogue(Operation *op) {
  unsigned layer = groupOf.lookup(matchRowSelect(op)->value->get().getDefiningOp());
  for (unsigned producer : getProducers(op))
    if (producer != layer && dependsOn(producer, layer))
      return addElementwise(op);
  groupOf[op] = layer;
  groups[layer].ops.push_back(op);
}

/// Returns the operations that lead from an insertion (tensor.insert_slice) to the tensor that `op` changes: this
/// insertion, and reshapes of its result. Returns none if there is no such insertion, or if its result or a reshape has
/// other uses.
static SmallVector<Operation *> findEarlierInsertion(tensor::InsertSliceOp op) {
  SmallVector<Operation *> path;
  Value changed = op.getDest();
  while (Operation *earlier = changed.hasOneUse() ? changed.getDefiningOp() : nullptr) {
    path.push_back(earlier);
    if (isa<tensor::InsertSliceOp>(earlier))
      return path;
    if (!isReshape(earlier))
      break;
    changed = earlier->getOperand(0);
  }
  return {};
}

/// Returns the operations, insertions and reshapes, that lead from an empty tensor to the tensor that `op` changes, in
/// the order of the block. Returns none if that tensor is computed in another way.
static SmallVector<Operation *> findInsertionsIntoEmpty(tensor::InsertSliceOp op) {
  SmallVector<Operation *> path;
  Value changed = op.getDest();
  while (Operation *earlier = changed.getDefiningOp()) {
    auto insertion = dyn_cast<tensor::InsertSliceOp>(earlier);
    if (!insertion && !isReshape(earlier))
      break;
    path.push_back(earlier);
    changed = insertion ? insertion.getDest() : earlier->getOperand(0);
  }
  if (!changed.getDefiningOp<tensor::EmptyOp>())
    return {};
  std::reverse(path.begin(), path.end());
  return path;
}

void heddle::separateInsertions(Block &block) {
  for (auto op : llvm::to_vector(block.getOps<tensor::InsertSliceOp>())) {
    SmallVector<Operation *> path = findInsertionsIntoEmpty(op);
    if (llvm::all_of(path, [](Operation *earlier) { return earlier->hasOneUse(); }))
      continue;
    OpBuilder b(op);
    IRMapping mapping;
    for (Operation *earlier : path)
      b.clone(*earlier, mapping);
    op.getDestMutable().assign(mapping.lookup(op.getDest()));
  }
}

/// In a kernel of its own, an insertion copies all other elements of the tensor, even those that only later insertions
/// define. So it is added to the kernel of the insertion before it, unless the kernel becomes too long.
void KernelGroups::addRoot(Operation *op) {
  auto insertion = dyn_cast<tensor::InsertSliceOp>(op);
  if (SmallVector<Operation *> path = insertion ? findEarlierInsertion(insertion) : SmallVector<Operation *>();
      !path.empty() && groups[groupOf.lookup(path.back())].ops.size() + path.size() <= maxInsertions) {
    unsigned group = groupOf.lookup(path.back());
    path.back() = op; // the insertion at the end of the path is in the group already
    for (Operation *added : path) {
      groupOf[added] = group;
      groups[group].ops.push_back(added);
    }
    return;
  }
  groupOf[op] = groups.size();
  groups.push_back({{op}});
}

KernelGroups::KernelGroups(Block &block) {
  for (Operation &op : block) {
    switch (getKernelRole(&op)) {
    case KernelRole::Elementwise:
      addElementwise(&op);
      break;
    case KernelRole::Epilogue:
      addEpilogue(&op);
      break;
    case KernelRole::Root:
      addRoot(&op);
      break;
    default:
      break;
    }
  }
  // A slice that @main returns needs a kernel of its own that copies it, since no other kernel computes it.
  for (Value value : block.getTerminator()->getOperands()) {
    Operation *op = value.getDefiningOp();
    while (op && isReshape(op))
      op = op->getOperand(0).getDefiningOp();
    if (op && isSlice(op) && !groupOf.count(op)) {
      groupOf[op] = groups.size();
      groups.push_back({{op}});
    }
  }
  for (KernelGroup &group : groups)
    llvm::sort(group.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}
