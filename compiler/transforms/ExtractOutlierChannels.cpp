//===- ExtractOutlierChannels.cpp - outlier channels become data ----------===//
//
// The pass heddle-extract-outlier-channels turns the indices of a layer's outlier channels from an attribute into a
// tensor that is stored in addition to the layer's weight, if the weight is a heddle.weight. Layers that differ only in
// these indices can then share one kernel.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_EXTRACTOUTLIERCHANNELS
#include "heddle/Passes.h.inc"
} // namespace heddle

static ArrayRef<int64_t> outlierChannelsOf(LinearOp linear) {
  std::optional<RowRoundingAttr> rounding = linear.getRounding();
  return rounding ? rounding->getOutliers() : ArrayRef<int64_t>();
}

/// Returns the heddle.weight with which the indices of the layer's outlier channels can be stored; null if there is
/// none. In this case, the indices remain an attribute. If the weight has outlier rows, their indices must equal the
/// indices of the outlier channels in each layer that uses the weight.
static WeightOp findWeight(LinearOp linear) {
  auto dequantize = linear.getWeight().getDefiningOp<DequantizeOp>();
  if (!dequantize || !dequantize.getOutliers())
    return linear.getWeight().getDefiningOp<WeightOp>();
  bool isOfLayers = llvm::all_of(dequantize->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<LinearOp>(use.getOwner());
    return user && use.get() == user.getWeight() && outlierChannelsOf(user) == outlierChannelsOf(linear);
  });
  if (!isOfLayers || dequantize.getOutlierRows() != outlierChannelsOf(linear))
    return {};
  return dequantize.getInput().getDefiningOp<WeightOp>();
}

/// Returns the numbers of `value` if it is a heddle.weight whose recipe (the steps that compute the weight when a
/// library is written) is `#heddle.numbers`, which lists the numbers. Returns null otherwise, because the compiler does
/// not know the numbers in other tensors.
static NumbersStepAttr numbersOf(Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  return weight && weight.getRecipe().size() == 1 ? dyn_cast<NumbersStepAttr>(weight.getRecipe()[0])
                                                  : NumbersStepAttr();
}

/// Checks the operand outlier_channels: its elements must be constants in a recipe (`#heddle.numbers`), ascend, and be
/// indices of the input's columns.
static LogicalResult checkColumns(LinearOp linear) {
  NumbersStepAttr numbers = numbersOf(linear.getOutlierChannels());
  int64_t k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  if (!numbers)
    return linear.emitOpError("outlier_channels must be a heddle.weight whose recipe is #heddle.numbers");
  for (auto [i, column] : llvm::enumerate(numbers.getNumbers()))
    if (column < 0 || column >= k || (i && column <= numbers.getNumbers()[i - 1]))
      return linear.emitOpError("outlier_channels must ascend and be columns of the input, found ") << column;
  return success();
}

/// Checks the operand outlier_indices: its elements must be constants in a recipe (`#heddle.numbers`) and indices of
/// the input's rows.
static LogicalResult checkRows(DequantizeOp dequantize) {
  NumbersStepAttr numbers = numbersOf(dequantize.getOutlierIndices());
  int64_t rows = cast<RankedTensorType>(dequantize.getInput().getType()).getDimSize(0);
  if (!numbers)
    return dequantize.emitOpError("outlier_indices must be a heddle.weight whose recipe is #heddle.numbers");
  for (int64_t row : numbers.getNumbers())
    if (row < 0 || row >= rows)
      return dequantize.emitOpError("outlier_indices must be rows of the input, which has ")
             << rows << " rows, found " << row;
  return success();
}

static RowRoundingAttr withoutColumns(RowRoundingAttr rounding) {
  return RowRoundingAttr::get(rounding.getContext(), rounding.getElement(), rounding.getBlock(), {},
                              rounding.getPerTensor(), rounding.getScale(), rounding.getZero());
}

/// Creates a heddle.weight with the name of `weight`, whose elements are the numbers of `step`.
static Value storeNumbers(WeightOp weight, NumbersStepAttr step) {
  OpBuilder b(weight);
  auto type = RankedTensorType::get({int64_t(step.getNumbers().size())}, b.getI32Type());
  return WeightOp::create(b, weight.getLoc(), type, weight.getNameAttr(), b.getArrayAttr(ArrayRef<Attribute>(step)));
}

namespace {
struct ExtractOutlierChannels : heddle::impl::ExtractOutlierChannelsBase<ExtractOutlierChannels> {
  void runOnOperation() override {
    SmallVector<std::pair<LinearOp, WeightOp>> layers;
    WalkResult walked = getOperation().walk([&](Operation *op) {
      if (auto dequantize = dyn_cast<DequantizeOp>(op); dequantize && dequantize.getOutlierIndices())
        return WalkResult(checkRows(dequantize));
      auto linear = dyn_cast<LinearOp>(op);
      if (!linear)
        return WalkResult::advance();
      if (linear.getOutlierChannels() && failed(checkColumns(linear)))
        return WalkResult::interrupt();
      if (WeightOp weight = outlierChannelsOf(linear).empty() ? WeightOp() : findWeight(linear))
        layers.push_back({linear, weight});
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    DenseMap<std::pair<Operation *, Attribute>, Value> known; // tensors of indices, by weight and indices
    for (auto [linear, weight] : layers) {
      auto step = NumbersStepAttr::get(&getContext(), outlierChannelsOf(linear));
      Value &numbers = known[{weight, step}];
      if (!numbers)
        numbers = storeNumbers(weight, step);
      auto dequantize = linear.getWeight().getDefiningOp<DequantizeOp>();
      if (dequantize && dequantize.getOutliers() && !dequantize.getOutlierIndices()) {
        dequantize.setOutlierRows({});
        dequantize.getOutlierIndicesMutable().assign(numbers);
      }
      linear.getOutlierChannelsMutable().assign(numbers);
      linear.setRoundingAttr(withoutColumns(linear.getRoundingAttr()));
    }
  }
};
} // namespace
