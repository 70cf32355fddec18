//===- StoredLayers.cpp - layers with stored weights ----------------------===//

#include "StoredLayers.h"

#include "Notes.h"
#include "States.h"
#include "ops/DequantizeViews.h"
#include "transforms/StoredGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t shortestRow = 16; // the minimum length of a table's row

std::string heddle::weightKey(WeightOp weight) {
  std::string key = weight.getName().str();
  llvm::raw_string_ostream stream(key);
  if (!weight.getRecipe().empty())
    stream << ' ' << weight.getRecipe();
  return key;
}

std::string StoredLayer::key() const { return weightKey(weight); }

/// Returns the stored float matrix from which `value`, a matrix of f32, is read, possibly through a conversion; null if
/// there is none.
static WeightOp findMatrix(Value value) {
  auto weight = value ? storedValue(value).getDefiningOp<WeightOp>() : WeightOp();
  auto type = dyn_cast_or_null<RankedTensorType>(value ? value.getType() : Type());
  bool fits = weight && type.getElementType().isF32() && type.getRank() == 2 &&
              isa<FloatType>(getElementTypeOrSelf(weight.getType()));
  return fits ? weight : WeightOp();
}

/// Returns the stored integers of `value`, a matrix that is stored as integers with a scale, and possibly a minimum,
/// for each group of `blockLength` or half as many rows; null if it is stored in another way or if int8-block cannot
/// multiply these integers.
static WeightOp findBlocks(Value value) {
  auto stored = value.getDefiningOp<DequantizeOp>();
  bool fits = isOfWeights(stored) && !stored.getZeroPoints() && !stored.getOutliers() &&
              getElementTypeOrSelf(stored.getType()).isF32() &&
              (stored.getBlock() == ArrayRef<int64_t>{blockLength, 1} ||
               stored.getBlock() == ArrayRef<int64_t>{blockLength / 2, 1}) &&
              whyNoGroups(stored, roundingOf(stored.getContext(), LayerFormat::Int8Block, {})).empty();
  return fits ? stored.getInput().getDefiningOp<WeightOp>() : WeightOp();
}

/// Replaces `ffn` by linear layers that can have the format `format`, and returns the layers. Returns none and changes
/// nothing if a weight of `ffn` is stored in a way that this format does not support.
static SmallVector<LinearOp> takeApart(FfnOp ffn, LayerFormat format) {
  auto fits = [&](Value weight) {
    return findMatrix(weight) || (format == LayerFormat::Int8Block && findBlocks(weight));
  };
  if (!fits(ffn.getUp()) || !fits(ffn.getDown()) || (ffn.getGate() && !fits(ffn.getGate())))
    return {};
  IRRewriter rewriter(ffn);
  SmallVector<LinearOp> layers;
  auto hidden = cast<RankedTensorType>(ffn.getInput().getType());
  SmallVector<int64_t> shape(hidden.getShape());
  shape.back() = cast<RankedTensorType>(ffn.getDown().getType()).getDimSize(0);
  auto layer = [&](Type type, Value x, Value weight, Value bias, Value residual, Activation activation) -> Value {
    layers.push_back(
        LinearOp::create(rewriter, ffn.getLoc(), type, x, weight, bias, residual, activation, RowRoundingAttr()));
    return layers.back().getResult();
  };
  Type type = hidden.clone(shape);
  Value x = ffn.getInput(), inner;
  if (ffn.getGate()) {
    Value gate = layer(type, x, ffn.getGate(), ffn.getGateBias(), Value(), ffn.getActivation());
    Value up = layer(type, x, ffn.getUp(), ffn.getUpBias(), Value(), Activation::None);
    inner = arith::MulFOp::create(rewriter, ffn.getLoc(), gate, up);
  } else {
    inner = layer(type, x, ffn.getUp(), ffn.getUpBias(), Value(), ffn.getActivation());
  }
  rewriter.replaceOp(
      ffn, layer(ffn.getType(), inner, ffn.getDown(), ffn.getDownBias(), ffn.getResidual(), Activation::None));
  return layers;
}

SmallVector<StoredLayer> heddle::takeLayers(ModuleOp module, const PrecisionChoice &choice) {
  SmallVector<StoredLayer> layers;
  auto take = [&](LinearOp linear, ModelPart part) {
    LayerFormat format = choice.of(part);
    if (linear.getRounding() || format == LayerFormat::F32)
      return;
    if (WeightOp weight = findMatrix(linear.getWeight()))
      layers.push_back({linear, weight, format});
    else if (WeightOp integers = findBlocks(linear.getWeight()); integers && format == LayerFormat::Int8Block)
      layers.push_back({linear, integers, format, /*isInBlocks=*/true});
  };
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<LinearOp, FfnOp>(op))
      found.push_back(op);
  });
  for (Operation *op : found)
    if (auto linear = dyn_cast<LinearOp>(op))
      take(linear, ModelPart::Linear);
    else if (choice.of(ModelPart::Ffn) != LayerFormat::F32)
      for (LinearOp part : takeApart(cast<FfnOp>(op), choice.of(ModelPart::Ffn)))
        take(part, ModelPart::Ffn);
  return layers;
}

bool heddle::readsState(AttentionOp op) {
  return llvm::any_of(ArrayRef<Value>{op.getKey(), op.getValue()}, [](Value rows) {
    BlockArgument argument = updatedArgument(storedValue(rows));
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    return function && notes::state.get(function, argument.getArgNumber());
  });
}

SmallVector<AttentionOp> heddle::findAttention(ModuleOp module) {
  SmallVector<AttentionOp> found;
  module.walk([&](AttentionOp op) {
    if (getElementTypeOrSelf(op.getQuery()).isF32() && op.getSoftmaxPrecision() == SoftmaxPrecision::F32 &&
        !op.getRounding() && !op.getWithWeights() && !op.hasProbability() && !readsState(op))
      found.push_back(op);
  });
  return found;
}

SmallVector<Value> heddle::findTables(ModuleOp module) {
  SmallVector<Value> tables;
  module.walk([&](Operation *op) {
    if (!isa<WeightOp, DequantizeOp>(op) || op->use_empty())
      return;
    WeightOp weight = findMatrix(op->getResult(0));
    if (weight && weight.getType().getDimSize(1) >= shortestRow &&
        llvm::all_of(op->getUsers(), [](Operation *user) { return isa<tensor::ExtractOp>(user); }))
      tables.push_back(op->getResult(0));
  });
  return tables;
}
