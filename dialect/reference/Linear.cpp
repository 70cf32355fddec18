//===- Linear.cpp - the meaning of heddle.linear --------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// [panels, K, panel] as [K, N]: element (k, n) lies in panel n / panel, lane n % panel.
template <typename Real>
static std::vector<Real> unpack(ArrayRef<Real> packed, int64_t k, int64_t n, int64_t panel) {
  std::vector<Real> weight(k * n);
  for (int64_t row = 0; row < k; ++row)
    for (int64_t column = 0; column < n; ++column)
      weight[row * n + column] = packed[(column / panel * k + row) * panel + column % panel];
  return weight;
}

namespace {
struct LinearReference {
  template <typename Real>
  static LogicalResult evaluate(LinearOp op, ArrayRef<Tensor> operands, SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0], &weight = operands[1];
    SmallVector<int64_t> shape(input.shape());
    int64_t k = shape.back(), rows = ShapedType::getNumElements(ArrayRef(shape).drop_back());
    shape.back() = cast<ShapedType>(op.getResult().getType()).getShape().back();
    if (ShapedType::isDynamic(shape.back())) // only a plain weight tells its columns
      shape.back() = weight.dim(1);
    int64_t n = shape.back();

    std::vector<Real> columns = elementsOf<Real>(weight);
    if (weight.rank() == 3)
      columns = unpack<Real>(columns, k, n, weight.dim(2));
    std::vector<Real> result =
        linear<Real>(rows, n, k, elementsOf<Real>(input), columns,
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
