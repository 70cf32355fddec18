//===- SkipPadding.cpp - rows of padding are not computed -----------------===//

#include "InactivePositions.h"
#include "heddle/Passes.h"
#include "heddle/RowSelect.h"

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

/// Integers by batch entry and position from which masks and biases of attention are made, inputs first.
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

/// Makes the inactive rows of layers zero. With `emptyIsWhole` all rows of a batch entry that has no
/// active one are active.
namespace {
class RowSelector {
public:
  RowSelector(IRRewriter &rewriter, Value flags, bool emptyIsWhole)
      : rewriter(rewriter), flags(flags), emptyIsWhole(emptyIsWhole), rows(analyse(flags, emptyIsWhole)) {}

  /// Whether some layer can be spared rows.
  bool find(Block &block);
  void apply();

private:
  static InactivePositions analyse(Value flags, bool emptyIsWhole);
  void makeActive(Location loc);
  Value activeAs(StringRef tags, Location loc);
  void select(Value layer, StringRef tags);

  IRRewriter &rewriter;
  Value flags, active; // active: [batch, positions] of i1
  bool emptyIsWhole;
  InactivePositions rows;
  SmallVector<std::pair<Value, PositionTags>> layers;
};
} // namespace

InactivePositions RowSelector::analyse(Value flags, bool emptyIsWhole) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  if (auto argument = dyn_cast<BlockArgument>(flags))
    if (auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto range = func.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), "heddle.range");
          range && range.size() == 2)
        low = range[0], high = range[1];
  return InactivePositions(flags, low, high, emptyIsWhole);
}

bool RowSelector::find(Block &block) {
  for (Operation &op : block) {
    auto attention = dyn_cast<AttentionOp>(op);
    // Few queries are computed together.
    bool blocks = attention && !attention.getWithWeights() && attention.getSizes().queries > 8;
    if (blocks || isa<LinearOp, FfnOp, LayerNormOp, RmsNormOp>(op))
      if (std::optional<PositionTags> tags = rows.guessTags(op.getResult(0)); tags && rows.isIgnored(op.getResult(0), *tags))
        layers.emplace_back(op.getResult(0), *tags);
  }
  return !layers.empty();
}

/// Of each entry the flags and, if none of them is set, true.
static Value wholeIfEmpty(OpBuilder &b, Location loc, Value flags) {
  auto type = cast<RankedTensorType>(flags.getType());
  AffineMap both = b.getMultiDimIdentityMap(2), entry = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  auto parallel = utils::IteratorType::parallel, reduction = utils::IteratorType::reduction;
  auto emit = [&](ValueRange inputs, Value output, ArrayRef<AffineMap> maps, utils::IteratorType second, auto body) {
    SmallVector<utils::IteratorType> iterators = {parallel, second};
    return linalg::GenericOp::create(b, loc, output.getType(), inputs, output, maps, iterators,
                                     [&](OpBuilder &inner, Location, ValueRange args) {
                                       linalg::YieldOp::create(inner, loc, Value(body(inner, args)));
                                     })
        .getResult(0);
  };
  auto any = [&](OpBuilder &inner, ValueRange args) -> Value { return arith::OrIOp::create(inner, loc, args[0], args[1]); };
  Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape().take_front(), b.getI1Type());
  Value some = emit(flags, linalg::FillOp::create(b, loc, none, empty).getResult(0), {both, entry}, reduction, any);
  empty = tensor::EmptyOp::create(b, loc, type.getShape(), b.getI1Type());
  return emit({flags, some}, empty, {both, entry, both}, parallel, [&](OpBuilder &inner, ValueRange args) -> Value {
    Value yes = arith::ConstantOp::create(inner, loc, inner.getBoolAttr(true));
    Value isEmpty = arith::XOrIOp::create(inner, loc, args[1], yes);
    return arith::OrIOp::create(inner, loc, args[0], isEmpty);
  });
}

void RowSelector::makeActive(Location loc) {
  rewriter.setInsertionPointAfterValue(flags);
  active = flags;
  auto type = cast<RankedTensorType>(flags.getType());
  if (!type.getElementType().isInteger(1)) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), rewriter.getI1Type());
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(type.getElementType(), 0));
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> parallel(type.getRank(), utils::IteratorType::parallel);
    active = linalg::GenericOp::create(rewriter, loc, empty.getType(), flags, empty, maps, parallel,
                                       [&](OpBuilder &body, Location, ValueRange args) {
                                         Value isActive = arith::CmpIOp::create(
                                             body, loc, arith::CmpIPredicate::ne, args[0], zero);
                                         linalg::YieldOp::create(body, loc, isActive);
                                       })
                 .getResult(0);
  }
  if (type.getRank() > 2) {
    SmallVector<ReassociationIndices> groups(2);
    llvm::append_range(groups[0], llvm::seq<int64_t>(0, type.getRank() - 1));
    groups[1].push_back(type.getRank() - 1);
    active = tensor::CollapseShapeOp::create(rewriter, loc, active, groups);
  }
  if (emptyIsWhole)
    active = wholeIfEmpty(rewriter, loc, active);
}

/// The flags as i1 in the dimensions that `tags` name.
Value RowSelector::activeAs(StringRef tags, Location loc) {
  if (!active)
    makeActive(loc);
  if (llvm::count(tags, 'b') && llvm::count(tags, 's'))
    return active;
  rewriter.setInsertionPointAfterValue(active);
  auto flat = RankedTensorType::get({cast<RankedTensorType>(flags.getType()).getNumElements()}, rewriter.getI1Type());
  return tensor::CollapseShapeOp::create(rewriter, loc, flat, active, ArrayRef<ReassociationIndices>{{0, 1}});
}

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
  bool isSelected = layer.hasOneUse() && (emptyIsWhole ? matchRowSelect(*layer.user_begin()).has_value()
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
    if (!emptyIsWhole && isSame(user))
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
    for (bool emptyIsWhole : {false, true})
      for (Value flags : llvm::to_vector(candidates)) {
        RowSelector selector(rewriter, flags, emptyIsWhole);
        if (!selector.find(block))
          continue;
        selector.apply();
        candidates.clear();
        candidates.insert(flags);
        break;
      }
  }
};
} // namespace
