//===- LowerLinearTiles.cpp - transform.heddle.lower_linear_tiles ---------===//

#include "LinearTileLowering.h"
#include "TransformOps.h"

#include "Sizes.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of sums of a lane, for which, with the factors of a step, the registers of a lane suffice.
static constexpr int64_t maxSums = 128;

/// Returns why lower_linear_tiles cannot lower the layer, a heddle.linear or a heddle.ffn; "" if it can.
static std::string whyNoTiles(Operation *layer) {
  if (!isa<LinearOp, FfnOp>(layer))
    return "is for heddle.linear and heddle.ffn, found " + layer->getName().getStringRef().str();
  if (auto linear = dyn_cast<LinearOp>(layer); linear && linear.getRounding())
    return "is for a layer that does not round its rows";
  if (!getElementTypeOrSelf(layer->getResult(0)).isF32())
    return "is for elements of f32";
  SmallVector<Value> weights;
  if (auto ffn = dyn_cast<FfnOp>(layer)) {
    weights = {ffn.getUp(), ffn.getDown()};
    if (ffn.getGate())
      weights.push_back(ffn.getGate());
  } else {
    weights.push_back(cast<LinearOp>(layer).getWeight());
  }
  Sizes sizes(layer);
  for (Value weight : weights) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(weight.getType()).getShape();
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
  if (std::string reason = whyNoTiles(current); !reason.empty())
    return emitSilenceableError() << reason;
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::LowerLinearTilesOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                       Operation *target,
                                                                       transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("lowers heddle.linear, found ") << target->getName();
  if (std::string reason = whyNoTiles(linear); !reason.empty())
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getRows(), getColumns(), getDepth(), getWarpRows(), getWarpColumns()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block and warps");
  TileBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3], (*sizes)[4]};
  auto kind = FmaAttr::get(getContext(), Float32Type::get(getContext()));
  if (failed(FragmentsAttr::verify([&] { return emitOpError(); }, kind, block.warpRows, block.warpColumns)))
    return DiagnosedSilenceableFailure::definiteFailure();
  auto place = FragmentsAttr::get(getContext(), kind, block.warpRows, block.warpColumns);
  if (!place.divides({block.rows, block.columns}) || block.depth % kind.getShape()[2])
    return emitDefiniteFailure() << "expects a block of whole fragments of " << block.warpRows << " x "
                                 << block.warpColumns << " warps, found " << block.rows << " x " << block.columns
                                 << " x " << block.depth;
  if (int64_t sums = block.rows * block.columns / place.countThreads(); sums > maxSums)
    return emitDefiniteFailure() << "expects at most " << maxSums << " sums a lane, found " << sums;
  LinearTileLowering(rewriter, linear, kind, block).run();
  return DiagnosedSilenceableFailure::success();
}
