//===- StoreFormat.cpp - stores weights in a format -----------------------===//

#include "StoredLayers.h"

#include "StoreInBytes.h"

using namespace mlir;
using namespace heddle;

// The maximum number of outlier channels, and the number of columns that an input must have for each of them.
// Measurements show no benefit of more than four outlier channels. A narrow input has fewer, so most of its columns are
// rounded.
static constexpr int64_t maxOutliers = 4, columnsForOne = 8;

int64_t heddle::countOutliers(int64_t k) { return std::min(maxOutliers, k / columnsForOne); }

/// Returns the weight with the steps `more` added to its recipe (the steps that are applied to a stored tensor when a
/// library is written). After all steps, the weight has type `type`.
static Value withSteps(OpBuilder &b, WeightOp weight, RankedTensorType type, ArrayRef<Attribute> more) {
  SmallVector<Attribute> steps(weight.getRecipe().getValue());
  llvm::append_range(steps, more);
  return WeightOp::create(b, weight.getLoc(), type, weight.getNameAttr(), b.getArrayAttr(steps));
}

Value heddle::storeWeight(OpBuilder &b, WeightOp weight, LayerFormat format, ArrayRef<int64_t> outliers) {
  auto type = cast<RankedTensorType>(weight.getType());
  if (format != LayerFormat::BF16)
    return storeInBytes(b, weight, {format == LayerFormat::Int8Block ? blockLength : type.getDimSize(0), 1}, outliers);
  Value stored = weight;
  if (!type.getElementType().isBF16())
    stored = withSteps(b, weight, type.clone(b.getBF16Type()), CastStepAttr::get(b.getContext(), b.getBF16Type()));
  return DequantizeOp::create(b, weight.getLoc(), type.clone(b.getF32Type()), stored);
}

RowRoundingAttr heddle::roundingOf(MLIRContext *context, LayerFormat format, ArrayRef<int64_t> outliers) {
  if (format == LayerFormat::F32)
    return {};
  if (format == LayerFormat::BF16)
    return RowRoundingAttr::get(context, BFloat16Type::get(context));
  auto byte = IntegerType::get(context, 8, IntegerType::Unsigned);
  return RowRoundingAttr::get(context, byte, format == LayerFormat::Int8Block ? blockLength : 0, outliers);
}

Value heddle::storeTable(OpBuilder &b, Value table) {
  auto weight = storedValue(table).getDefiningOp<WeightOp>();
  return storeInBytes(b, weight, {1, blockLength}, {});
}

LayerFormat heddle::formatOf(const StoredLayer &layer, const PrecisionPlan &plan) {
  auto left = plan.exceptions.find(layer.key());
  LayerFormat format = left == plan.exceptions.end() ? layer.format : left->second;
  return layer.isInBlocks && format != LayerFormat::Int8Block ? LayerFormat::F32 : format;
}

SmallVector<int64_t> heddle::outlierChannelsOf(const StoredLayer &layer, LayerFormat format,
                                               const PrecisionPlan &plan) {
  if ((format != LayerFormat::Int8 && format != LayerFormat::Int8Block) || layer.isInBlocks)
    return {};
  auto outliers = plan.outliers.find(layer.key());
  return outliers == plan.outliers.end() ? SmallVector<int64_t>() : outliers->second;
}

LinearOp heddle::roundLayer(OpBuilder &b, const StoredLayer &layer, LayerFormat format, ArrayRef<int64_t> outliers) {
  LinearOp linear = layer.linear;
  b.setInsertionPoint(linear);
  Value weight = layer.isInBlocks ? linear.getWeight() : storeWeight(b, layer.weight, format, outliers);
  return LinearOp::create(b, linear.getLoc(), linear.getType(), linear.getInput(), weight, linear.getBias(),
                          linear.getResidual(), linear.getActivation(), roundingOf(b.getContext(), format, outliers));
}
