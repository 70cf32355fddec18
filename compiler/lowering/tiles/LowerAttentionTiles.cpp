//===- LowerAttentionTiles.cpp - transform.heddle.lower_attention_tiles ---===//

#include "AttentionTileLowering.h"
#include "TileTarget.h"
#include "TransformOps.h"

#include "attention/Attention.h"

#include "Sizes.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace heddle;

/// The maximum sizes of a head. With larger ones, a warp's registers cannot hold the sums of 16 queries, and tiles do
/// not fit into the memory of a workgroup.
static constexpr int64_t maxHeadSize = 256, maxValueSize = 192;

std::string heddle::whyNoAttentionTiles(Operation *layer, FragmentKind kind) {
  auto op = dyn_cast<AttentionOp>(layer);
  if (!op)
    return "is for heddle.attention, found " + layer->getName().getStringRef().str();
  Type element = getElementTypeOrSelf(op.getQuery()), sum = kind.getElementOf(FragmentRole::Sum);
  Type factor = kind.getElementOf(FragmentRole::Left), rounded = op.getRounding().value_or(element);
  if (element != sum || factor != kind.getElementOf(FragmentRole::Right))
    return "is for elements of " + debugString(sum) + ", found " + debugString(element);
  if (rounded != factor)
    return "is for products of " + debugString(factor) + ", found " + debugString(rounded);
  if (op.getSoftmaxPrecision() != SoftmaxPrecision::F32)
    return "is for a softmax that is computed in f32";
  if (storesWeights(op) || op.hasScore())
    return "is for attention without regions and whose probabilities are no result";
  for (Value tensor : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults()))) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0))
      return "is for tensors of static shape that are not empty";
  }
  AttentionOp::Extents extents = op.getSizes();
  if (extents.headSize > maxHeadSize || extents.valueSize > maxValueSize)
    return "is for queries and keys of at most " + std::to_string(maxHeadSize) + " elements and values of at most " +
           std::to_string(maxValueSize);
  return "";
}

DiagnosedSilenceableFailure transforms::MatchAttentionTilesOp::matchOperation(Operation *current,
                                                                              transform::TransformResults &,
                                                                              transform::TransformState &state) {
  if (std::string reason = whyNoAttentionTiles(current, getKind()); !reason.empty())
    return emitSilenceableError() << reason;
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getKeys(), getKib()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as keys and kib");
  auto [keys, kib] = std::pair((*sizes)[0], (*sizes)[1]);
  AttentionOp::Extents extents = cast<AttentionOp>(current).getSizes();
  if (!AttentionTileBlock::canFit(getKind(), extents, keys, kib * 1024))
    return emitSilenceableError() << "is for heads whose tiles, with blocks of " << keys << " keys, fit into " << kib
                                  << " KiB, found " << extents.headSize << " elements of queries and "
                                  << extents.valueSize << " of values";
  return DiagnosedSilenceableFailure::success();
}

LogicalResult transforms::LowerAttentionTilesOp::verify() { return verifyTileTarget(getOperation()); }

DiagnosedSilenceableFailure transforms::LowerAttentionTilesOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                          Operation *target,
                                                                          transform::TransformState &state) {
  FragmentKind kind = getKind();
  if (std::string reason = whyNoAttentionTiles(target, kind); !reason.empty())
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getQueries(), getKeys(), getWarps(), getStages(), getThreads(), getKib(), getBlocks()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block, warps, stages, threads, kib and blocks");
  AttentionTileBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3]};
  AttentionTileBlock::Limits limits = {(*sizes)[4], (*sizes)[5] * 1024, (*sizes)[6]};
  if (failed(FragmentsAttr::verify([&] { return emitOpError(); }, kind, block.warps, 1)))
    return DiagnosedSilenceableFailure::definiteFailure();
  auto place = FragmentsAttr::get(getContext(), kind, block.warps, 1);
  if (!place.divides({block.queries, block.keys}) || block.keys % kind.getShape()[2])
    return emitDefiniteFailure() << "expects a block of whole fragments of " << block.warps << " warps, found "
                                 << block.queries << " queries and " << block.keys << " keys";
  auto op = cast<AttentionOp>(target);
  AttentionOp::Extents extents = op.getSizes();
  Sizes ranges(op);
  int64_t heads = ranges.of(extents.batch).high() * extents.queryHeads, queries = ranges.of(extents.queries).high();
  if (!block.fit(kind, extents, heads, queries, limits))
    return emitDefiniteFailure() << "cannot make the block so small that its tiles fit into the registers and the "
                                    "memory of a workgroup of at most "
                                 << limits.threads << " threads and " << limits.bytes << " bytes";
  AttentionTileLowering(rewriter, op, kind, block).run();
  return DiagnosedSilenceableFailure::success();
}
