//===- LargeConstants.cpp - large constants become weights ----------------===//

#include "LargeConstants.h"

#include "module/Constants.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The largest number of elements of a constant that remains in the module.
static constexpr int64_t largestConstant = int64_t(1) << 14;

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
    if (!model.weights.add(name, type, bytesOf(elements)))
      return op.emitError() << "a constant of type " << type << " cannot be stored";
    OpBuilder b(op);
    auto weight = WeightOp::create(b, op.getLoc(), type, b.getStringAttr(name), b.getArrayAttr({}));
    op.getResult().replaceAllUsesWith(weight.getResult());
    op.erase();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
