//===- LowerRoundedLinear.cpp - transform.heddle.lower_rounded_linear -----===//

#include "RoundedRows.h"
#include "StoredCodes.h"
#include "StoredWeight.h"
#include "TransformOps.h"
#include "panels/LinearLowering.h"

#include "Sizes.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

/// Returns the layer's rows as operands of products. Separate tasks round the rows, unless the rows are already stored
/// in the float type to which they would be rounded, and their length is a multiple of the kind's depth (the number of
/// products that one step adds to a sum).
static RoundedOperands emitRows(RewriterBase &b, LinearOp linear, const OutlierChannels &outliers,
                                const RoundedOperands &weight) {
  ProductKind kind = weight.kind;
  RowRoundingAttr rounding = *linear.getRounding();
  Value stored = storedValue(linear.getInput());
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  int64_t k = type.getShape().back();
  bool isRounded =
      !rounding.isInteger() && getElementTypeOrSelf(stored) == rounding.getElement() && k % kind.getDepth() == 0;
  Value rows = emitReshape(b, linear.getLoc(), isRounded ? stored : linear.getInput(), {type.getNumElements() / k, k});
  if (!isRounded)
    return emitRoundedRows(b, linear.getLoc(), rows, rounding, outliers, kind, weight.minima ? weight.group : 0);
  RoundedOperands operands;
  operands.rows = rows;
  operands.kind = kind;
  return operands;
}

/// Returns the number of steps in the unit of products that matrix instructions compute. This is the largest number up
/// to 16 that divides the number of steps of the contraction and, if blocks have scales of their own, of each group of
/// the weight. `depth` is the number of columns of a step.
static int64_t stepsOfUnit(LinearOp linear, int64_t depth) {
  int64_t k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  int64_t all = std::gcd<int64_t>(llvm::divideCeil(k, depth), groupOf(linear) / depth), steps = 16;
  while (all % steps)
    --steps;
  return steps;
}

/// Returns the kind of products of unsigned rows and of a weight that stays in 4 bits, or null if the weight cannot
/// stay in 4 bits. Each block of a row must have a scale, because each byte of the weight contains a number of the
/// first half and a number of the second half of a block. `bits` and `isUnsigned` are the parameters of kindOf.
static DotNibblesAttr nibblesOf(LinearOp linear, int64_t bits, bool isUnsigned) {
  RowRoundingAttr rounding = *linear.getRounding();
  MLIRContext *context = rounding.getContext();
  int64_t depth = DotBytesAttr::get(context, UnsignedSide::None).getDepth();
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  int64_t k = cast<RankedTensorType>(weight.getType()).getDimSize(0), block = rounding.getBlock();
  if (!rounding.isUnsigned() || !block || groupOf(linear) != block || block % (2 * depth) || k % block)
    return {};
  SmallVector<int64_t> codes = findCodes(weight.getInput());
  if (codes.size() != 16 || (bits == 16 && !isUnsigned))
    return {};
  auto kind = DotNibblesAttr::get(context, codes, isUnsigned ? UnsignedSide::Rows : UnsignedSide::None, 32);
  if (bits == 16)
    kind = DotNibblesAttr::get(context, codes, UnsignedSide::Rows, 16);
  return block / depth <= kind.getMaxSteps() ? kind : DotNibblesAttr();
}

/// Returns the kind of the products of rounded rows. `bits` is the width in bits of rounded integers. `isUnsigned`:
/// whether one operand of products of bytes, the rows or the weight, must consist of unsigned bytes. `matrices`:
/// whether matrix instructions compute the products.
static ProductKind kindOf(LinearOp linear, int64_t bits, bool isUnsigned, bool matrices) {
  RowRoundingAttr rounding = *linear.getRounding();
  MLIRContext *context = rounding.getContext();
  if (!rounding.isInteger()) {
    auto dots = DotBF16Attr::get(context);
    return matrices ? ProductKind(AmxBF16Attr::get(context, stepsOfUnit(linear, dots.getDepth()))) : dots;
  }
  if (DotNibblesAttr nibbles = matrices ? DotNibblesAttr() : nibblesOf(linear, bits, isUnsigned))
    return nibbles;
  if (bits == 16 && !matrices)
    return DotWordsAttr::get(context);
  // Signed bytes become unsigned if 128 is added to them, and the sums of products must be corrected for this addition.
  // If rows have blocks with scales of their own, the weight is the unsigned side: the correction then needs sums of
  // the blocks of rows, which take less memory than sums of the blocks of the weight. If rows also have zero points,
  // the sums of the weight are needed in any case, so rows are the unsigned side.
  UnsignedSide side = rounding.getBlock() && !rounding.isUnsigned() ? UnsignedSide::Weight : UnsignedSide::Rows;
  auto dots = DotBytesAttr::get(context, isUnsigned ? side : UnsignedSide::None);
  if (matrices)
    return AmxI8Attr::get(context, stepsOfUnit(linear, dots.getDepth()), dots.getUnsignedSide());
  return dots;
}

DiagnosedSilenceableFailure transforms::LowerRoundedLinearOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                         Operation *target,
                                                                         transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("expects heddle.linear as target, found ") << target->getName();
  if (std::string reason = whyNoDots(linear); !reason.empty())
    return emitDefiniteFailure(reason);
  FailureOr<SmallVector<int64_t>> sizes = getPositive(state, {getLanes(), getPanel(), getRegisters()});
  FailureOr<int64_t> interleaved = getInteger(state, getInterleaved()), isUnsigned = getInteger(state, getIsUnsigned());
  FailureOr<int64_t> bits = getInteger(state, getRowBits());
  if (failed(sizes) || failed(interleaved) || *interleaved < 0 || failed(isUnsigned))
    return emitDefiniteFailure("expects positive integers as lanes, panel and registers, a non-negative integer as "
                               "interleaved, and an integer as unsigned");
  if (failed(bits) || (*bits != 8 && *bits != 16))
    return emitDefiniteFailure("expects 8 or 16 as row_bits");
  FailureOr<WeightPath> path = readWeightPath(state, getWeight());
  if (failed(path))
    return emitDefiniteFailure(
        "expects four non-negative integers as weight: the maximum size of a part of a panel in KiB (0: no maximum), "
        "the prefetch distance in panels, the minimum number of rows for which panels are prefetched, and the level of "
        "the cache to prefetch into (1 to 3)");
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  if (!type.hasStaticShape())
    return emitDefiniteFailure("expects a static shape, found ") << type;
  ProductKind kind = kindOf(linear, *bits, *isUnsigned, getMatrices());
  int64_t lanes = (*sizes)[0], panel = (*sizes)[1];
  RoundedOperands operands =
      packStoredWeight(rewriter, linear, *interleaved ? lanes : panel, std::max<int64_t>(*interleaved, 1), kind);
  // packStoredWeight has erased the heddle.dequantize of the weight, which also used the layer's operand of outlier
  // channels.
  OutlierChannels outliers = takeOutlierChannels(rewriter, linear);
  RoundedOperands rounded = emitRows(rewriter, linear, outliers, operands);
  rounded.weight = operands.weight;
  rounded.weightScales = operands.weightScales;
  rounded.sums = operands.sums;
  rounded.minima = operands.minima;
  rounded.group = operands.group;
  rounded.outlierWeight = operands.outlierWeight;
  if (failed(LinearLowering(rewriter, linear, lanes, panel, (*sizes)[2], *path, rounded).run()))
    return emitDefiniteFailure("cannot lower heddle.linear");
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure transforms::MatchRoundingOp::matchOperation(Operation *current,
                                                                        transform::TransformResults &,
                                                                        transform::TransformState &) {
  auto linear = dyn_cast<LinearOp>(current);
  if (!linear)
    return emitSilenceableError() << "supports only heddle.linear, found " << current->getName();
  if (getAbsent() && linear.getRounding())
    return emitSilenceableError() << "does not support layers that round the rows of their input";
  if (!getAbsent() && !linear.getRounding())
    return emitSilenceableError() << "supports only layers that round the rows of their input";
  return matchUnless(getOperation(), getDots() ? whyNoDots(linear) : "");
}

DiagnosedSilenceableFailure transforms::MatchMatricesOp::matchOperation(Operation *current,
                                                                        transform::TransformResults &,
                                                                        transform::TransformState &) {
  auto linear = dyn_cast<LinearOp>(current);
  if (!linear)
    return emitSilenceableError() << "supports only heddle.linear, found " << current->getName();
  if (std::string reason = whyNoDots(linear); !reason.empty())
    return emitSilenceableError() << reason;
  if (linear.getRounding()->isInteger() && nibblesOf(linear, /*bits=*/8, /*isUnsigned=*/true))
    return emitSilenceableError() << "needs a weight of bytes, found one of 4 bits";
  auto type = cast<RankedTensorType>(linear.getResult().getType());
  int64_t rows = type.hasStaticShape() ? type.getNumElements() / type.getShape().back() : 0;
  RowRoundingAttr rounding = *linear.getRounding();
  int64_t least = !rounding.isInteger() ? getBf16Rows() : rounding.getBlock() ? getBlockRows() : getRows();
  if (int64_t most = Sizes(linear).of(rows).high(); most < least)
    return emitSilenceableError() << "needs at least " << least << " rows, found at most " << most;
  int64_t steps = kindOf(linear, /*bits=*/8, /*isUnsigned=*/true, /*matrices=*/true).getUnit().steps;
  if (steps < int64_t(getSteps()))
    return emitSilenceableError() << "needs a contraction that is a multiple of at least " << getSteps()
                                  << " steps of at most 16, found " << steps;
  return DiagnosedSilenceableFailure::success();
}
