//===- LowerAttentionTiles.cpp - transform.heddle.lower_attention_tiles ---===//

#include "AttentionTileLowering.h"
#include "TileTarget.h"
#include "TransformOps.h"

#include "attention/Attention.h"

#include "Sizes.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

/// Returns why attention cannot be lowered to tiles with products of any kind, or "".
static std::string whyNoAttentionTiles(Operation *layer) {
  auto op = dyn_cast<AttentionOp>(layer);
  if (!op)
    return "is for heddle.attention, found " + layer->getName().getStringRef().str();
  if (op.getSoftmaxPrecision() != SoftmaxPrecision::F32)
    return "is for a softmax that is computed in f32";
  if (storesWeights(op))
    return "is for attention whose probabilities are neither a result nor changed by a region";
  for (Value tensor :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults()))) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0))
      return "is for tensors of static shape that are not empty";
  }
  return "";
}

FragmentKind heddle::chooseAttentionKind(Operation *layer, ArrayAttr kinds, std::string &reason) {
  if (reason = whyNoAttentionTiles(layer); !reason.empty())
    return {};
  auto op = cast<AttentionOp>(layer);
  Type element = getElementTypeOrSelf(op.getQuery()), rounded = op.getRounding().value_or(element);
  SmallVector<std::string> sums, factors;
  for (auto kind : kinds.getAsRange<FragmentKind>()) {
    Type sum = kind.getElementOf(FragmentRole::Sum), factor = kind.getElementOf(FragmentRole::Left);
    if (sum == element && factor == rounded && factor == kind.getElementOf(FragmentRole::Right))
      return kind;
    if (!llvm::is_contained(sums, debugString(sum)))
      sums.push_back(debugString(sum));
    factors.push_back(debugString(factor));
  }
  reason = llvm::is_contained(sums, debugString(element))
               ? "is for products of " + llvm::join(factors, " or ") + ", found " + debugString(rounded)
               : "is for elements of " + llvm::join(sums, " or ") + ", found " + debugString(element);
  return {};
}

/// Makes the block smaller until attention can be computed with it. Returns why that is not possible, or "".
static std::string fitBlock(AttentionTileBlock &block, AttentionOp op, FragmentKind kind,
                            const AttentionTileBlock::Limits &limits) {
  AttentionOp::Extents extents = op.getSizes();
  Sizes ranges(op);
  int64_t heads = ranges.of(extents.batch).high() * extents.queryHeads, queries = ranges.of(extents.queries).high();
  extents.keys = ranges.of(extents.keys).high();
  block.converts = convertsKeysOrValues(op, kind);
  int64_t keys = block.keys;
  if (block.fit(kind, extents, heads, queries, limits))
    return "";
  return llvm::formatv(
      "is for heads whose tiles, with blocks of at most {0} keys, fit into the registers and {1} bytes of "
      "a workgroup of at most {2} threads, found {3} elements of queries and {4} of values",
      keys, limits.bytes, limits.threads, extents.headSize, extents.valueSize);
}

DiagnosedSilenceableFailure transforms::MatchAttentionTilesOp::matchOperation(Operation *current,
                                                                              transform::TransformResults &,
                                                                              transform::TransformState &state) {
  std::string reason;
  FragmentKind kind = chooseAttentionKind(current, getKinds(), reason);
  if (!kind)
    return emitSilenceableError() << reason;
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getQueries(), getKeys(), getWarps(), getStages(), getThreads(), getKib()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block, warps, stages, threads and kib");
  AttentionTileBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3]};
  return matchUnless(getOperation(), fitBlock(block, cast<AttentionOp>(current), kind,
                                              {(*sizes)[4], (*sizes)[5] * 1024, /*blocks=*/1}));
}

LogicalResult transforms::LowerAttentionTilesOp::verify() { return verifyTileTarget(getOperation()); }

bool heddle::convertsKeysOrValues(AttentionOp op, FragmentKind kind) {
  return llvm::any_of(std::array{op.getKey(), op.getValue()}, [&](Value tensor) {
    return getElementTypeOrSelf(storedValue(tensor)) != kind.getElementOf(FragmentRole::Right);
  });
}

FailureOr<bool> heddle::isApproximate(transform::TransformState &state, Value approximate) {
  if (!approximate)
    return false;
  FailureOr<int64_t> number = transforms::getInteger(state, approximate);
  if (failed(number))
    return failure();
  return *number != 0;
}

DiagnosedSilenceableFailure transforms::LowerAttentionTilesOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                          Operation *target,
                                                                          transform::TransformState &state) {
  std::string reason;
  FragmentKind kind = chooseAttentionKind(target, getKinds(), reason);
  if (!kind)
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> sizes =
      getPositive(state, {getQueries(), getKeys(), getWarps(), getStages(), getThreads(), getKib(), getBlocks()});
  if (failed(sizes))
    return emitDefiniteFailure("expects positive integers as block, warps, stages, threads, kib and blocks");
  FailureOr<bool> approximate = isApproximate(state, getApproximate());
  if (failed(approximate))
    return emitDefiniteFailure("expects an integer as approximate");
  AttentionTileBlock block = {(*sizes)[0], (*sizes)[1], (*sizes)[2], (*sizes)[3]};
  if (failed(FragmentsAttr::verify([&] { return emitOpError(); }, kind, block.warps, 1)))
    return DiagnosedSilenceableFailure::definiteFailure();
  auto place = FragmentsAttr::get(getContext(), kind, block.warps, 1);
  if (!place.divides({block.queries, block.keys}) || block.keys % kind.getShape()[2])
    return emitDefiniteFailure() << "expects a block of whole fragments of " << block.warps << " warps, found "
                                 << block.queries << " queries and " << block.keys << " keys";
  auto op = cast<AttentionOp>(target);
  if (reason = fitBlock(block, op, kind, {(*sizes)[4], (*sizes)[5] * 1024, (*sizes)[6]}); !reason.empty())
    return emitDefiniteFailure(reason);
  AttentionTileLowering(rewriter, op, kind, block, *approximate).run();
  return DiagnosedSilenceableFailure::success();
}
