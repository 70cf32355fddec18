//===- Tables.cpp - constants that have a size in a range -----------------===//

#include "Tables.h"

#include "onnx/Constants.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using onnx::Shape;

/// Larger constants are weights.
static constexpr int64_t largestConstant = int64_t(1) << 14;

bool heddle::agree(DenseElementsAttr one, DenseElementsAttr other) {
  ArrayRef<int64_t> shape = one.getType().getShape(), otherShape = other.getType().getShape();
  if (one.getElementType() != other.getElementType() || !storedElementSize(one.getElementType()))
    return false;
  Shape both;
  for (auto [extent, otherExtent] : llvm::zip_equal(shape, otherShape))
    both.push_back(std::min(extent, otherExtent));
  return onnx::bytesOf(onnx::gatherStrided(one, both, 0, onnx::stridesOf(shape))) ==
         onnx::bytesOf(onnx::gatherStrided(other, both, 0, onnx::stridesOf(otherShape)));
}

LogicalResult heddle::takeTables(ModuleOp model, const ConstantTables &tables) {
  unsigned number = 0;
  SmallVector<std::pair<arith::ConstantOp, DenseElementsAttr>> found;
  model.walk([&](arith::ConstantOp op) {
    if (auto table = tables.find(number++); table != tables.end())
      found.push_back({op, table->second});
  });
  for (auto [op, table] : found) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements || elements.getType().getRank() != table.getType().getRank() || !agree(elements, table))
      return op.emitError() << "is not the beginning of what it is for larger sizes";
    OpBuilder b(op);
    auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
    auto type = cast<RankedTensorType>(op.getType());
    auto all = arith::ConstantOp::create(b, op.getLoc(), table);
    auto beginning = tensor::ExtractSliceOp::create(b, op.getLoc(), type, all, mixed(Shape(type.getRank(), 0)),
                                                    mixed(type.getShape()), mixed(Shape(type.getRank(), 1)));
    op.replaceAllUsesWith(beginning.getResult());
    op.erase();
  }
  return success();
}

LogicalResult heddle::storeLargeConstants(Model &model) {
  int64_t number = 0;
  WalkResult walked = model.module->walk([&](arith::ConstantOp op) -> WalkResult {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements || elements.isSplat() || elements.getNumElements() <= largestConstant)
      return WalkResult::advance();
    std::string name;
    do
      name = "constant." + std::to_string(number++);
    while (model.weights.find(name));
    auto type = cast<RankedTensorType>(op.getType());
    if (!model.weights.add(name, type, onnx::bytesOf(elements)))
      return op.emitError() << "a constant of type " << type << " cannot be stored";
    OpBuilder b(op);
    auto weight = WeightOp::create(b, op.getLoc(), type, b.getStringAttr(name), b.getArrayAttr({}));
    op.getResult().replaceAllUsesWith(weight.getResult());
    op.erase();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
