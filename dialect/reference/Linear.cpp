//===- Linear.cpp - the meaning of heddle.linear --------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

namespace {
struct LinearReference {
  template <typename Real>
  static LogicalResult evaluate(LinearOp op, ArrayRef<Tensor> operands, Evaluator &, SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0], &weight = operands[1];
    SmallVector<int64_t> shape(input.shape());
    int64_t k = shape.back(), rows = ShapedType::getNumElements(ArrayRef(shape).drop_back());
    shape.back() = cast<ShapedType>(op.getResult().getType()).getShape().back();
    if (ShapedType::isDynamic(shape.back())) // only a plain weight tells its columns
      shape.back() = weight.dim(1);
    int64_t n = shape.back();

    std::vector<Real> result =
        linear<Real>(rows, n, k, elementsOf<Real>(input), weightOf<Real>(weight, k, n),
                     optionalElements<Real>(op.getODSOperands(2), operands), op.getActivation(),
                     optionalElements<Real>(op.getODSOperands(3), operands));
    results.push_back(tensorOf<Real>(shape, input.elementType(), result));
    return success();
  }
};
} // namespace

void heddle::registerLinearReference(MLIRContext *context) {
  LinearOp::attachInterface<ReferenceModel<LinearOp, LinearReference>>(*context);
}
