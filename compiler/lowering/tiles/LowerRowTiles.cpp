//===- LowerRowTiles.cpp - transform.heddle.lower_row_tiles ---------------===//

#include "RowTileLowering.h"
#include "TileTarget.h"
#include "TransformOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace heddle;

/// The maximum length of a row: the number of elements for which one warp has registers.
static constexpr int64_t maxColumns = FragmentKind::lanes * RowBlock::maxElements;

/// Returns why lower_row_tiles cannot lower the layer, or "" if it can.
static std::string whyNoRowTiles(Operation *layer) {
  auto softmax = dyn_cast<linalg::SoftmaxOp>(layer);
  if (!softmax && !isa<LayerNormOp, RmsNormOp>(layer))
    return "is for linalg.softmax, heddle.layer_norm and heddle.rms_norm, found " +
           layer->getName().getStringRef().str();
  auto type = layer->getNumResults() ? dyn_cast<RankedTensorType>(layer->getResult(0).getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return "is for tensors of static shape";
  if (!type.getElementType().isF32())
    return "is for elements of f32";
  if (softmax &&
      !llvm::all_of(type.getShape().drop_front(softmax.getDimension() + 1), [](int64_t n) { return n == 1; }))
    return "is for a softmax along the last dimension";
  auto [rows, columns] = LayerRows::of(layer);
  if (rows.high() < 1)
    return "is for at least one row";
  if (!softmax && !columns.isFixed())
    return "is for a norm along rows of a fixed length";
  if (columns.high() < 1 || columns.high() > maxColumns)
    return "is for rows of 1 to " + std::to_string(maxColumns) + " elements, found " + std::to_string(columns.high());
  return "";
}

DiagnosedSilenceableFailure transforms::MatchRowTilesOp::matchOperation(Operation *current,
                                                                        transform::TransformResults &,
                                                                        transform::TransformState &) {
  return matchUnless(getOperation(), whyNoRowTiles(current));
}

LogicalResult transforms::LowerRowTilesOp::verify() { return verifyTileTarget(getOperation()); }

DiagnosedSilenceableFailure transforms::LowerRowTilesOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                    Operation *target,
                                                                    transform::TransformState &state) {
  FailureOr<SmallVector<int64_t>> numbers =
      getPositive(state, {getWarps(), getThreads(), getBlocks(), getColumns(), getLanes()});
  if (failed(numbers))
    return emitDefiniteFailure("expects positive integers as warps, threads, blocks, columns and lanes");
  if (std::string reason = whyNoRowTiles(target); !reason.empty())
    return emitDefiniteFailure(reason);
  int64_t warps = std::min((*numbers)[0], (*numbers)[1] / FragmentKind::lanes);
  if (warps < 1)
    return emitDefiniteFailure() << "expects workgroups of at least " << FragmentKind::lanes << " threads, found "
                                 << (*numbers)[1];
  if (warps > FragmentsAttr::maxWarps)
    return emitDefiniteFailure() << "expects at most " << FragmentsAttr::maxWarps << " warps, found " << warps;
  int64_t lanes = (*numbers)[4];
  if (lanes > FragmentKind::lanes || !llvm::isPowerOf2_64(lanes))
    return emitDefiniteFailure() << "expects a power of two, at most " << FragmentKind::lanes << ", as lanes, found "
                                 << lanes;
  int64_t blocks = std::min<int64_t>((*numbers)[2], INT32_MAX); // the maximum number of workgroups of a launch
  RowTileLowering(rewriter, target, {warps, blocks, (*numbers)[3], lanes}).run();
  return DiagnosedSilenceableFailure::success();
}
