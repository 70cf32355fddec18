//===- OutlierChannels.cpp - outlier channels of rounded rows -------------===//

#include "OutlierChannels.h"
#include "Emit.h"
#include "panels/CallerWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

Value OutlierChannels::number(OpBuilder &b, Location loc, int64_t i) const {
  Value at = arith::ConstantIndexOp::create(b, loc, i);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), tensor::ExtractOp::create(b, loc, numbers, at));
}

int64_t OutlierChannels::count() const {
  return numbers ? cast<RankedTensorType>(numbers.getType()).getDimSize(0) : 0;
}

/// Emits constants with the indices of the outlier channels, `columns`, and with the bit masks of all `k` columns. If
/// there are no outlier channels, both results are null.
static OutlierChannels emitConstants(OpBuilder &b, Location loc, ArrayRef<int64_t> columns, int64_t k) {
  if (columns.empty())
    return {};
  auto words = [&](ArrayRef<int32_t> elements) -> Value {
    auto type = RankedTensorType::get({int64_t(elements.size())}, b.getI32Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, elements));
  };
  SmallVector<int32_t> mask(k, -1);
  for (int64_t column : columns)
    mask[column] = 0;
  return {words(llvm::to_vector_of<int32_t>(columns)), words(mask)};
}

std::string heddle::whyNoOutliers(LinearOp linear) {
  Value columns = linear.getOutlierChannels();
  return columns && failed(findCallerWeights(columns)) ? "needs constant outlier channels" : "";
}

OutlierChannels heddle::takeOutlierChannels(RewriterBase &b, LinearOp linear) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(linear);
  Location loc = linear.getLoc();
  int64_t k = cast<RankedTensorType>(linear.getInput().getType()).getShape().back();
  Value columns = linear.getOutlierChannels();
  if (!columns) {
    std::optional<RowRoundingAttr> rounding = linear.getRounding();
    return emitConstants(b, loc, rounding ? rounding->getOutliers() : ArrayRef<int64_t>(), k);
  }
  b.modifyOpInPlace(linear, [&] { linear.getOutlierChannelsMutable().clear(); });
  auto type = cast<RankedTensorType>(columns.getType());
  int64_t count = type.getDimSize(0);
  auto step = KeptBitsStepAttr::get(b.getContext(), k);
  SmallVector<OpOperand *> others = llvm::map_to_vector(columns.getUses(), [](OpOperand &use) { return &use; });
  extendCallerWeights(b, columns, type.clone({k + count}), [&](func::CallOp) { return step; });
  b.setInsertionPointToStart(cast<BlockArgument>(columns).getOwner());
  OpFoldResult start = b.getIndexAttr(0), behind = b.getIndexAttr(k);
  OutlierChannels outliers = {emitSlice(b, loc, columns, behind, count), emitSlice(b, loc, columns, start, k)};
  for (OpOperand *use : others) // users other than the layer, such as the weight's heddle.dequantize
    b.modifyOpInPlace(use->getOwner(), [&] { use->set(outliers.numbers); });
  return outliers;
}
