//===- ExtractColumns.cpp - outlier channels become data ------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_EXTRACTCOLUMNS
#include "heddle/Passes.h.inc"
} // namespace heddle

static ArrayRef<int64_t> exactOf(LinearOp linear) {
  std::optional<RowRoundingAttr> rounding = linear.getRounding();
  return rounding ? rounding->getExact() : ArrayRef<int64_t>();
}

/// The stored weight beside which the indices of the layer's outlier channels can be stored. If the weight has exact
/// rows, they must be those of this layer's outlier channels only. Null if there is none; the channels then remain an
/// attribute.
static WeightOp findWeight(LinearOp linear) {
  auto dequantize = linear.getWeight().getDefiningOp<DequantizeOp>();
  if (!dequantize || !dequantize.getExact())
    return linear.getWeight().getDefiningOp<WeightOp>();
  bool isOfLayers = llvm::all_of(dequantize->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<LinearOp>(use.getOwner());
    return user && use.get() == user.getWeight() && exactOf(user) == exactOf(linear);
  });
  if (!isOfLayers || dequantize.getExactRows() != exactOf(linear))
    return {};
  return dequantize.getInput().getDefiningOp<WeightOp>();
}

/// Returns the numbers that the recipe of `value` makes. Null if `value` is anything else: then they are unknown here.
static NumbersStepAttr numbersOf(Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  return weight && weight.getRecipe().size() == 1 ? dyn_cast<NumbersStepAttr>(weight.getRecipe()[0])
                                                  : NumbersStepAttr();
}

/// Checks outlier channels that are an operand: they must be the numbers of a recipe and indices of the input's
/// columns.
static LogicalResult checkColumns(LinearOp linear) {
  NumbersStepAttr numbers = numbersOf(linear.getExactColumns());
  int64_t k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  if (!numbers)
    return linear.emitOpError("exact_columns that are not the numbers of a recipe cannot be compiled");
  for (auto [i, column] : llvm::enumerate(numbers.getNumbers()))
    if (column < 0 || column >= k || (i && column <= numbers.getNumbers()[i - 1]))
      return linear.emitOpError("exact_columns must ascend within the input's columns, found ") << column;
  return success();
}

/// Checks the exact rows of a stored tensor that are an operand: they must be the numbers of a recipe and indices of
/// the tensor's rows.
static LogicalResult checkRows(DequantizeOp dequantize) {
  NumbersStepAttr numbers = numbersOf(dequantize.getExactNumbers());
  int64_t rows = cast<RankedTensorType>(dequantize.getInput().getType()).getDimSize(0);
  if (!numbers)
    return dequantize.emitOpError("exact_numbers that are not the numbers of a recipe cannot be compiled");
  for (int64_t row : numbers.getNumbers())
    if (row < 0 || row >= rows)
      return dequantize.emitOpError("exact_numbers must lie within the input's ") << rows << " rows, found " << row;
  return success();
}

static RowRoundingAttr withoutColumns(RowRoundingAttr rounding) {
  return RowRoundingAttr::get(rounding.getContext(), rounding.getElement(), rounding.getBlock(), {},
                              rounding.getPerTensor(), rounding.getStep(), rounding.getZero());
}

static Value storeNumbers(WeightOp weight, NumbersStepAttr step) {
  OpBuilder b(weight);
  auto type = RankedTensorType::get({int64_t(step.getNumbers().size())}, b.getI32Type());
  return WeightOp::create(b, weight.getLoc(), type, weight.getNameAttr(), b.getArrayAttr(ArrayRef<Attribute>(step)));
}

namespace {
struct ExtractColumns : heddle::impl::ExtractColumnsBase<ExtractColumns> {
  void runOnOperation() override {
    SmallVector<std::pair<LinearOp, WeightOp>> layers;
    WalkResult walked = getOperation().walk([&](Operation *op) {
      if (auto dequantize = dyn_cast<DequantizeOp>(op); dequantize && dequantize.getExactNumbers())
        return WalkResult(checkRows(dequantize));
      auto linear = dyn_cast<LinearOp>(op);
      if (!linear)
        return WalkResult::advance();
      if (linear.getExactColumns() && failed(checkColumns(linear)))
        return WalkResult::interrupt();
      if (WeightOp weight = exactOf(linear).empty() ? WeightOp() : findWeight(linear))
        layers.push_back({linear, weight});
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    DenseMap<std::pair<Operation *, Attribute>, Value> known; // shared by layers with the same weight
    for (auto [linear, weight] : layers) {
      auto step = NumbersStepAttr::get(&getContext(), exactOf(linear));
      Value &numbers = known[{weight, step}];
      if (!numbers)
        numbers = storeNumbers(weight, step);
      auto dequantize = linear.getWeight().getDefiningOp<DequantizeOp>();
      if (dequantize && dequantize.getExact() && !dequantize.getExactNumbers()) {
        dequantize.setExactRows({});
        dequantize.getExactNumbersMutable().assign(numbers);
      }
      linear.getExactColumnsMutable().assign(numbers);
      linear.setRoundingAttr(withoutColumns(linear.getRoundingAttr()));
    }
  }
};
} // namespace
