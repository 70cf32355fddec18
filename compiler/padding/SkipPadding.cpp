//===- SkipPadding.cpp - skips rows of padding ----------------------------===//
//
// The pass heddle-skip-padding inserts a row select after a layer if no result
// depends on the layer's inactive rows. A row select (RowSelect.h) replaces
// inactive rows by zeros, so the layer's lowering need not compute them.
//
//===----------------------------------------------------------------------===//

#include "ActiveFlags.h"
#include "InactivePositions.h"
#include "heddle/Passes.h"
#include "heddle/RowSelect.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_SKIPPADDING
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns the integer tensors [batch, .., positions] from which masks and biases of attention are computed: first
/// block arguments, then results of operations.
static llvm::SetVector<Value> findFlags(Block &block) {
  llvm::SetVector<Value> inputs, others;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.hasStaticShape() && type.getRank() >= 2 && type.getNumElements() > 1 &&
        type.getElementType().isInteger() &&
        llvm::all_of(type.getShape().drop_front().drop_back(), [](int64_t size) { return size == 1; }))
      (isa<BlockArgument>(value) ? inputs : others).insert(value);
  };
  for (auto attention : block.getOps<AttentionOp>())
    for (Value operand : {attention.getMask(), attention.getBias()}) {
      if (!operand)
        continue;
      add(operand);
      SetVector<Operation *> slice;
      BackwardSliceOptions options;
      options.inclusive = true;
      options.filter = [&](Operation *op) { return op->getBlock() == &block; };
      (void)getBackwardSlice(operand, &slice, options);
      for (Operation *op : slice)
        for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                               llvm::to_vector_of<Value>(op->getResults())))
          add(value);
    }
  inputs.insert_range(others);
  return inputs;
}

namespace {
/// Finds the layers whose inactive rows reach no result, and replaces these rows by zeros with row selects. `flags` is
/// the integer tensor that is 0 at inactive positions.
class RowSelector {
public:
  RowSelector(IRRewriter &rewriter, Value flags, WholeEntries whole)
      : rewriter(rewriter), flags(flags), whole(whole), rows(analyse(flags, whole)) {}

  /// Finds the layers whose inactive rows can be skipped, and returns their number.
  size_t find(Block &block);
  /// Inserts a row select after each layer that find() has found.
  void apply();

private:
  static InactivePositions analyse(Value flags, WholeEntries whole);
  void makeActive(Location loc);
  Value activeAs(StringRef tags, Location loc);
  void select(Value layer, StringRef tags);

  IRRewriter &rewriter;
  // `active` is the activity mask, i1 [batch, positions]; it is null until makeActive() emits it.
  Value flags, active;
  WholeEntries whole;
  InactivePositions rows;
  SmallVector<std::pair<Value, PositionTags>> layers; // results of layers whose inactive rows can be skipped
};
} // namespace

/// Returns the analysis for `flags`, with the range of `flags` if the module declares one.
InactivePositions RowSelector::analyse(Value flags, WholeEntries whole) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  if (auto argument = dyn_cast<BlockArgument>(flags))
    if (auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto range = notes::range.get(func, argument.getArgNumber()))
        low = range->low, high = range->high;
  return InactivePositions(flags, low, high, whole);
}

/// Returns whether skipping rows of the layer pays off at the largest sizes: the layer must have at least 2^20 elements
/// or multiply-adds. Skipping costs a few small kernels and a branch for each tile of rows.
static bool isLarge(LayerOpInterface layer) {
  double elements = cast<RankedTensorType>(layer->getResult(0).getType()).getNumElements();
  double work = std::max(elements, layer.getMultiplyAdds());
  constexpr double countable = 1e18;
  return (work < countable ? double(Sizes(layer).of(int64_t(work)).high()) : work) >= 1 << 20;
}

size_t RowSelector::find(Block &block) {
  for (Operation &op : block) {
    auto layer = dyn_cast<LayerOpInterface>(op);
    std::optional<PositionTags> tags = layer && layer.canLeaveRowsOut() ? rows.guessTags(layer) : std::nullopt;
    if (tags && (!whole.empty || isLarge(layer)) && rows.isIgnored(op.getResult(0), *tags))
      layers.emplace_back(op.getResult(0), *tags);
  }
  return layers.size();
}

/// Emits the activity mask after its operands.
void RowSelector::makeActive(Location loc) {
  rewriter.setInsertionPointAfterValue(flags);
  active = emitFlags(rewriter, loc, flags);
  if (!whole.empty)
    return;
  if (whole.low)
    for (Value operand : {whole.low.getQuery(), whole.low.getKey()})
      if (Operation *made = operand.getDefiningOp(); made && !made->isBeforeInBlock(&*rewriter.getInsertionPoint()))
        rewriter.setInsertionPointAfter(made);
  active = emitWhole(rewriter, loc, active, rows.getValidInputs(), whole.low);
}

/// Returns the activity mask as i1, in the dimensions that have tags: [batch, positions], or one dimension.
Value RowSelector::activeAs(StringRef tags, Location loc) {
  if (!active)
    makeActive(loc);
  if (llvm::count(tags, 'b') && llvm::count(tags, 's'))
    return active;
  rewriter.setInsertionPointAfterValue(active);
  auto flat = RankedTensorType::get({cast<RankedTensorType>(flags.getType()).getNumElements()}, rewriter.getI1Type());
  return tensor::CollapseShapeOp::create(rewriter, loc, flat, active, ArrayRef<ReassociationIndices>{{0, 1}});
}

/// Inserts a row select after the layer with result `layer`, unless the activity mask cannot be computed before the
/// layer, or the only user of the result is already a row select (which must be an equivalent one if `whole.empty` is
/// false). If `whole.empty` is false, the new select replaces equivalent selects of its result.
void RowSelector::select(Value layer, StringRef tags) {
  auto isSame = [&](Operation *op) {
    std::optional<RowSelect> found = matchRowSelect(op);
    return found && found->op->getBlock() == layer.getParentBlock() && rows.isActive(found->active->get()) &&
           found->value->get().getType() == layer.getType() &&
           llvm::is_sorted(found->dims) && llvm::all_of(llvm::enumerate(tags), [&](auto tag) {
             bool has = llvm::is_contained(found->dims, tag.index());
             int64_t size = cast<RankedTensorType>(layer.getType()).getDimSize(tag.index());
             return size == 1 || has == (tag.value() != '-');
           });
  };
  bool isSelected = layer.hasOneUse() && (whole.empty ? matchRowSelect(*layer.user_begin()).has_value()
                                                      : isSame(*layer.user_begin()));
  if (isSelected)
    return;
  Location loc = layer.getLoc();
  Value which = activeAs(tags, loc);
  if (failed(moveValueDefinitions(rewriter, which, layer.getDefiningOp())))
    return;
  SmallVector<unsigned> dims;
  for (auto [dim, tag] : llvm::enumerate(tags))
    if (tag != '-')
      dims.push_back(dim);
  rewriter.setInsertionPointAfterValue(layer);
  linalg::GenericOp kept = buildRowSelect(rewriter, loc, which, dims, layer);
  rewriter.replaceAllUsesExcept(layer, kept.getResult(0), kept);
  for (Operation *user : llvm::to_vector(kept->getUsers()))
    if (!whole.empty && isSame(user))
      rewriter.replaceOp(user, kept);
}

void RowSelector::apply() {
  for (auto &[layer, tags] : layers)
    select(layer, tags);
}

namespace {
struct SkipPadding : heddle::impl::SkipPaddingBase<SkipPadding> {
  void runOnOperation() override {
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().getBody().front();
    IRRewriter rewriter(&getContext());
    llvm::SetVector<Value> candidates = findFlags(block);
    auto apply = [&](WholeEntries whole) {
      for (Value flags : llvm::to_vector(candidates)) {
        RowSelector selector(rewriter, flags, whole);
        size_t found = selector.find(block);
        if (found == 0)
          continue;
        // With the masks of the next call of `apply`, entries without an active position are computed as a whole. If
        // rows of more layers can then be skipped, that call handles all layers. A later pass can merge layers with the
        // same input (such as those of queries, keys and values) only if they have the same activity mask.
        if (!whole.empty && RowSelector(rewriter, flags, {/*empty=*/true}).find(block) > found)
          continue;
        selector.apply();
        candidates.clear();
        candidates.insert(flags);
        return;
      }
    };
    // With the masks of the second call, more batch entries are computed as a whole than with those of the first, and
    // still more with an attention operation. In exchange, rows of more layers can be skipped.
    apply({});
    apply({/*empty=*/true});
    for (auto attention : llvm::to_vector(block.getOps<AttentionOp>()))
      if (canBoundScores(attention))
        apply({/*empty=*/true, attention});
  }
};
} // namespace
