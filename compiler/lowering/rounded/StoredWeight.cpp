//===- StoredWeight.cpp - weights for narrow dot products -----------------===//

#include "StoredWeight.h"
#include "Emit.h"
#include "OutlierChannels.h"
#include "StoredCodes.h"
#include "panels/CallerWeights.h"
#include "transforms/StoredGroups.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

/// Returns why the weight cannot be multiplied with rows rounded to integers, or "" if it can. `columns` is the layer's
/// operand of outlier channels, or null.
static std::string whyNoIntegers(DequantizeOp weight, RowRoundingAttr rounding, Value columns) {
  int64_t k = cast<RankedTensorType>(weight.getType()).getDimSize(0), block = rounding.getBlock();
  if (weight.isPlain() || weight.getZeroPoints() || weight.getBlock()[1] != 1)
    return "needs a weight of i8 with scales for each column and no zero points";
  int64_t group = weight.getBlock()[0], depth = DotBytesAttr::get(weight.getContext(), UnsignedSide::None).getDepth();
  if (block ? block % group != 0 : group < k)
    return llvm::formatv("needs a scale for each {0} rows of the weight{1}, found a scale for each {2} rows",
                         block ? block : k, block ? " or for a part of them" : "", group);
  if (std::string reason = whyNoGroups(weight, rounding); !reason.empty())
    return reason;
  if (weight.getOutlierRows() != rounding.getOutliers() || weight.getOutlierIndices() != columns)
    return "needs a weight whose outlier rows have the indices of the outlier channels of the input";
  auto isConstant = [](Value value) { return succeeded(findCallerWeights(value)) && value.hasOneUse(); };
  if (!isConstant(weight.getScales()) || (weight.getMinima() && !isConstant(weight.getMinima())))
    return weight.getMinima() ? "needs constant scales and minima" : "needs constant scales";
  if (block && group % depth != 0)
    return llvm::formatv("needs blocks whose length is a multiple of {0}, found {1}", depth, group);
  return whyNoSums(k);
}

std::string heddle::whyNoDots(LinearOp linear) {
  std::optional<RowRoundingAttr> rounding = linear.getRounding();
  if (!rounding)
    return "supports only layers that round the rows of their input";
  auto type = cast<RankedTensorType>(linear.getWeight().getType());
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  if (!weight || type.getRank() != 2 || !type.hasStaticShape() || !weight->hasOneUse() ||
      !weight.getInput().hasOneUse() || failed(findCallerWeights(weight.getInput())))
    return "needs a constant weight that is stored in fewer bits";
  if (std::string reason = whyNoOutliers(linear); !reason.empty())
    return reason;
  Value columns = linear.getOutlierChannels();
  if (rounding->isInteger())
    return whyNoIntegers(weight, *rounding, columns);
  if (!rounding->getOutliers().empty() || columns)
    return "supports outlier channels only if rows are rounded to integers";
  if (!weight.isPlain() || getElementTypeOrSelf(weight.getInput()) != rounding->getElement() ||
      !rounding->getElement().isBF16())
    return "needs rows that are rounded to bf16, and a weight of bf16";
  return "";
}

int64_t heddle::groupOf(LinearOp linear) {
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  return linear.getRounding()->getBlock() ? weight.getBlock()[0] : 0;
}

/// Appends rows to `scales`: the sums of the columns of the weight `stored`, for each block of `block` rows. The sums
/// are exact in f32 for columns that whyNoSums accepts.
static void addSums(RewriterBase &b, BlockArgument stored, Value scales, int64_t block) {
  auto type = cast<RankedTensorType>(scales.getType());
  RankedTensorType both = type.clone({2 * type.getDimSize(0), type.getDimSize(1)});
  extendCallerWeights(b, scales, both, [&](func::CallOp call) -> Attribute {
    auto weight = call.getOperand(stored.getArgNumber()).getDefiningOp<WeightOp>();
    SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
    steps.push_back(BlockSumsStepAttr::get(b.getContext(), block));
    steps.push_back(CastStepAttr::get(b.getContext(), type.getElementType()));
    return ConcatStepAttr::get(b.getContext(), /*axis=*/0,
                               b.getArrayAttr({b.getArrayAttr({weight.getNameAttr(), b.getArrayAttr(steps)})}));
  });
}

/// Converts the scales or minima of groups to f16 if f16 represents them, and the sums of groups of `group` codes,
/// exactly.
static void narrowParameters(RewriterBase &b, BlockArgument stored, Value parameters, int64_t group) {
  SmallVector<int64_t> codes = findCodes(stored);
  constexpr int64_t largestInteger = 2048; // f16 represents all integers up to this magnitude
  bool fits = llvm::all_of(codes, [&](int64_t code) { return std::abs(code) * group <= largestInteger; });
  if (codes.empty() || !fits || !areExactInF16(parameters))
    return;
  auto step = CastStepAttr::get(b.getContext(), b.getF16Type());
  extendCallerWeights(b, parameters, cast<RankedTensorType>(parameters.getType()).clone(b.getF16Type()),
                      [&](func::CallOp) { return step; });
}

/// Packs the scales (or minima) of groups into panels like the panels of the weight, so that a task reads them
/// sequentially. Without packing, those of each group would lie in a different page of memory. Returns the number of
/// panels.
static int64_t packScales(RewriterBase &b, Value scales, int64_t panel) {
  auto type = cast<RankedTensorType>(scales.getType());
  auto step = PackStepAttr::get(b.getContext(), panel, /*interleaved=*/1, /*depth=*/1);
  SmallVector<int64_t> shape = step.packedShape(type.getDimSize(0), type.getDimSize(1));
  extendCallerWeights(b, scales, type.clone(shape), [&](func::CallOp) { return step; });
  return shape.front();
}

RoundedOperands heddle::packStoredWeight(RewriterBase &b, LinearOp linear, int64_t panel, int64_t interleaved,
                                         ProductKind kind) {
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  auto stored = cast<BlockArgument>(weight.getInput());
  auto type = cast<RankedTensorType>(stored.getType());
  Location loc = linear.getLoc();
  MLIRContext *context = b.getContext();
  int64_t k = type.getDimSize(0), n = type.getDimSize(1);
  RowRoundingAttr rounding = *linear.getRounding();
  RoundedOperands operands;
  operands.kind = kind;
  operands.outlierWeight = weight.getOutliers();
  operands.group = groupOf(linear);
  Value scales = weight.getScales(), minima = weight.getMinima();
  bool packsGroups = operands.group && interleaved == 1;

  // The heddle.dequantize must be erased before the types of its operands change.
  Value matrix = linear.getWeight();
  Value none = tensor::EmptyOp::create(b, loc, cast<RankedTensorType>(matrix.getType()).getShape(),
                                       getElementTypeOrSelf(matrix));
  b.modifyOpInPlace(linear, [&] { linear.getWeightMutable().assign(none); });
  b.eraseOp(weight);
  if (operands.group)
    narrowParameters(b, stored, scales, operands.group);
  if (minima) {
    narrowParameters(b, stored, minima, operands.group);
    if (packsGroups)
      packScales(b, minima, panel);
    operands.minima = minima;
  }
  bool zerosSubtracted = isa<DotWordsAttr>(kind); // zero points are subtracted from rows of i16 when they are rounded
  if (rounding.isInteger() && !zerosSubtracted &&
      (rounding.isUnsigned() || rounding.getZero() || kind.getUnsignedSide() == UnsignedSide::Rows)) {
    int64_t blocks = cast<RankedTensorType>(scales.getType()).getDimSize(0);
    addSums(b, stored, scales, operands.group ? operands.group : k);
    OpFoldResult zero = b.getIndexAttr(0), below = b.getIndexAttr(blocks);
    SmallVector<int64_t> shape = {operands.group ? blocks : 0, n};
    SmallVector<OpFoldResult> first = {zero, zero}, second = {below, zero};
    if (packsGroups) {
      int64_t panels = packScales(b, scales, panel);
      shape = {panels, blocks, panel};
      first.insert(first.begin(), zero);
      second.insert(second.begin(), zero);
    }
    operands.weightScales = emitSlice(b, loc, scales, first, shape);
    operands.sums = emitSlice(b, loc, scales, second, shape);
  } else if (rounding.isInteger()) {
    if (packsGroups)
      packScales(b, scales, panel);
    operands.weightScales = operands.group ? scales : emitReshape(b, loc, scales, {n});
  }
  auto extend = [&](Attribute step, RankedTensorType result) {
    extendCallerWeights(b, stored, result, [&](func::CallOp) { return step; });
  };
  if (kind.getUnsignedSide() == UnsignedSide::Weight)
    extend(AddStepAttr::get(context, -128), type);
  SmallVector<int64_t> codes = findCodes(stored);
  auto step = PackStepAttr::get(context, panel, interleaved, kind.getDepth());
  SmallVector<int64_t> shape = step.packedShape(k, n);
  extend(step, RankedTensorType::get(shape, type.getElementType()));
  if (kind.getStepsPerElement() > 1) {
    shape[shape.size() - 3] /= kind.getStepsPerElement();
    extend(JoinNibblesStepAttr::get(context, rounding.getBlock() / kind.getDepth(), codes),
           RankedTensorType::get(shape, type.getElementType()));
  }
  shape[shape.size() - 2] *= shape.back();
  shape.pop_back();
  operands.weight = emitReshape(b, loc, stored, shape);
  return operands;
}
