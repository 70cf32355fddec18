//===- LowerLinearTiles.cpp - transform.heddle.lower_linear_tiles ---------===//

#include "LinearTileLowering.h"
#include "TransformOps.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace heddle;

/// The target whose stages distribute tiles over lanes.
static constexpr llvm::StringLiteral tileTarget = "cuda";

/// Returns why lower_linear_tiles cannot lower the layer, a heddle.linear or a heddle.ffn, by products of this kind; ""
/// if it can.
static std::string whyNoTiles(Operation *layer, FragmentKind kind) {
  if (!isa<LinearOp, FfnOp>(layer))
    return "is for heddle.linear and heddle.ffn, found " + layer->getName().getStringRef().str();
  if (auto linear = dyn_cast<LinearOp>(layer); linear && linear.getRounding())
    return "is for a layer that does not round its rows";
  for (FragmentRole role : {FragmentRole::Sum, FragmentRole::Left, FragmentRole::Right})
    if (Type element = kind.getElementOf(role); element != getElementTypeOrSelf(layer->getResult(0)))
      return "is for elements of " + debugString(element);
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
  if (std::string reason = whyNoTiles(current, getKind()); !reason.empty())
    return emitSilenceableError() << reason;
  return DiagnosedSilenceableFailure::success();
}

LogicalResult transforms::LowerLinearTilesOp::verify() {
  auto module = (*this)->getParentOfType<ModuleOp>();
  auto strategy = module ? notes::strategy.get(module) : std::nullopt;
  auto target = strategy ? strategy->getAs<StringAttr>("target") : StringAttr();
  if (target && target.getValue() != tileTarget)
    return emitOpError() << "is for strategies of target '" << tileTarget << "', found target " << target;
  return success();
}

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
  int64_t threads = (*sizes)[5], blocks = (*sizes)[6];
  if (failed(FragmentsAttr::verify([&] { return emitOpError(); }, kind, block.warpRows, block.warpColumns)))
    return DiagnosedSilenceableFailure::definiteFailure();
  auto place = FragmentsAttr::get(getContext(), kind, block.warpRows, block.warpColumns);
  if (!place.divides({block.rows, block.columns}) || block.depth % kind.getShape()[2])
    return emitDefiniteFailure() << "expects a block of whole fragments of " << block.warpRows << " x "
                                 << block.warpColumns << " warps, found " << block.rows << " x " << block.columns
                                 << " x " << block.depth;
  if (block.countSums() > TileBlock::maxSums)
    return emitDefiniteFailure() << "expects at most " << TileBlock::maxSums << " sums a lane, found "
                                 << block.countSums();
  if (!block.limitThreads(threads))
    return emitDefiniteFailure() << "cannot halve " << block.warpRows << " x " << block.warpColumns
                                 << " warps until a workgroup has at most " << threads << " threads";
  LinearTileLowering(rewriter, linear, kind, block, blocks).run();
  return DiagnosedSilenceableFailure::success();
}
