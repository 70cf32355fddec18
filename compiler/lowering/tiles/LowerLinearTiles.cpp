//===- LowerLinearTiles.cpp - transform.heddle.lower_linear_tiles ---------===//

#include "LinearTileLowering.h"
#include "TileTarget.h"
#include "TransformOps.h"

#include "Sizes.h"
#include "ops/TensorViews.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace heddle;

/// Returns why the layer cannot be computed with products of factors of type `factor`, or "" if it can. If this is not
/// the type of the result, all elements of the weight must be numbers of this type, and so must all elements of the
/// rows, unless the layer rounds rows to it.
static std::string whyOtherProducts(LinearOp linear, Type factor) {
  Type element = getElementTypeOrSelf(linear.getResult());
  std::optional<RowRoundingAttr> rounding = linear.getRounding();
  if (rounding && (rounding->getElement() != factor || !rounding->getOutliers().empty() || linear.getOutlierChannels()))
    return "is for a layer that rounds no rows, or all of them to " + debugString(factor) + ", found " +
           debugString(*rounding);
  if (factor == element)
    return "";
  if (Type rows = findExactElement(linear.getInput()); !rounding && rows != factor)
    return "is for rows of " + debugString(factor) + ", found " + debugString(rows);
  if (Type weight = findExactElement(linear.getWeight()); weight != factor)
    return "is for a weight of " + debugString(factor) + ", found " + debugString(weight);
  return "";
}

/// Returns why lower_linear_tiles cannot lower the layer, a heddle.linear or a heddle.ffn, with products of this kind,
/// or "" if it can. A heddle.ffn consists of linear layers that do not round rows.
static std::string whyNoTiles(Operation *layer, FragmentKind kind) {
  if (!isa<LinearOp, FfnOp>(layer))
    return "is for heddle.linear and heddle.ffn, found " + layer->getName().getStringRef().str();
  Type element = getElementTypeOrSelf(layer->getResult(0)), factor = kind.getElementOf(FragmentRole::Left);
  if (Type sum = kind.getElementOf(FragmentRole::Sum); sum != element)
    return "is for elements of " + debugString(sum) + ", found " + debugString(element);
  if (factor != kind.getElementOf(FragmentRole::Right))
    return "is for products whose two factors have the same type";
  if (auto linear = dyn_cast<LinearOp>(layer)) {
    if (std::string reason = whyOtherProducts(linear, factor); !reason.empty())
      return reason;
  } else if (factor != element) {
    return "is for elements of " + debugString(factor) + ", found " + debugString(element);
  }
  auto roles = cast<LayerOpInterface>(layer);
  Sizes sizes(layer);
  for (OpOperand &operand : layer->getOpOperands()) {
    if (roles.getOperandRole(operand) != OperandRole::Weight)
      continue;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.get().getType()).getShape();
    if (shape.size() != 2)
      return "is for a weight that is not packed";
    if (!llvm::all_of(shape, [&](int64_t extent) { return sizes.of(extent).isFixed(); }))
      return "is for a weight of fixed size";
  }
  return "";
}

DiagnosedSilenceableFailure transforms::MatchLinearTilesOp::matchOperation(Operation *current,
                                                                           transform::TransformResults &,
                                                                           transform::TransformState &) {
  SmallVector<std::string> reasons; // those of all kinds, without repetitions
  for (Attribute kind : getKinds()) {
    std::string reason = whyNoTiles(current, cast<FragmentKind>(kind));
    if (reason.empty())
      return DiagnosedSilenceableFailure::success();
    if (!llvm::is_contained(reasons, reason))
      reasons.push_back(reason);
  }
  return emitSilenceableError() << llvm::join(reasons, "; ");
}

DiagnosedSilenceableFailure transforms::SelectLinearTilesOp::apply(transform::TransformRewriter &,
                                                                   transform::TransformResults &results,
                                                                   transform::TransformState &state) {
  SmallVector<Operation *> selected;
  for (Operation *layer : state.getPayloadOps(getTarget()))
    if (isa<LinearOp>(layer) && whyNoTiles(layer, getKind()).empty())
      selected.push_back(layer);
  results.set(cast<OpResult>(getSelected()), selected);
  return DiagnosedSilenceableFailure::success();
}

void transforms::SelectLinearTilesOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::onlyReadsPayload(effects);
}

LogicalResult transforms::LowerLinearTilesOp::verify() { return verifyTileTarget(getOperation()); }

DiagnosedSilenceableFailure transforms::LowerLinearTilesOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                       Operation *target,
                                                                       transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("lowers heddle.linear, found ") << target->getName();
  FragmentKind kind = getKind();
  if (std::string reason = whyNoTiles(linear, kind); !reason.empty())
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getRows(), getColumns(), getDepth(), getWarpRows(), getWarpColumns(), getThreads(),
                          getBlocks(), getStages()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block, depth, warps, threads, blocks and stages");
  TileBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3], (*sizes)[4], (*sizes)[7]};
  int64_t threads = (*sizes)[5];
  BlockCount blocks = {(*sizes)[6], getForFewestRows()};
  if (failed(FragmentsAttr::verify([&] { return emitOpError(); }, kind, block.warpRows, block.warpColumns)))
    return DiagnosedSilenceableFailure::definiteFailure();
  auto place = FragmentsAttr::get(getContext(), kind, block.warpRows, block.warpColumns);
  if (!place.divides({block.rows, block.columns}) || block.depth % kind.getShape()[2])
    return emitDefiniteFailure() << "expects a block of whole fragments of " << block.warpRows << " x "
                                 << block.warpColumns << " warps, found " << block.rows << " x " << block.columns
                                 << " x " << block.depth;
  if (int64_t most = TileBlock::maxSums(kind); block.countSums() > most)
    return emitDefiniteFailure() << "expects at most " << most << " sums a lane, found " << block.countSums();
  if (!block.limitThreads(kind, threads))
    return emitDefiniteFailure() << "cannot halve " << block.warpRows << " x " << block.warpColumns
                                 << " warps until a workgroup has at most " << threads << " threads";
  LinearParts parts = {};
  if (getWorkgroups() && kind.getElementOf(FragmentRole::Sum).isF32()) {
    FailureOr<SmallVector<int64_t>> numbers = getPositive(state, {getWorkgroups(), getTerms()});
    if (failed(numbers))
      return emitDefiniteFailure("expects positive integers as workgroups and terms of parts");
    parts = {(*numbers)[0], (*numbers)[1]};
  }
  LinearTileLowering(rewriter, linear, kind, block, blocks, parts).run();
  return DiagnosedSilenceableFailure::success();
}
