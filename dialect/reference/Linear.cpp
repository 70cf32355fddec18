//===- Linear.cpp - the meaning of heddle.linear --------------------------===//

#include "reference/Reference.h"
#include "reference/RowRounding.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns the layer's rounding, including the outlier channels of the operand `outlier_channels`. Emits an error if
/// these do not ascend or do not lie in [0, k).
static FailureOr<RowRoundingAttr> roundingOf(LinearOp op, ArrayRef<Tensor> operands, int64_t k) {
  RowRoundingAttr rounding = *op.getRounding();
  const Tensor *numbers = optionalTensor(op.getODSOperands(4), operands);
  if (!numbers)
    return rounding;
  SmallVector<int64_t> outliers(numbers->ints());
  for (auto [i, column] : llvm::enumerate(outliers))
    if (column < 0 || column >= k || (i && column <= outliers[i - 1]))
      return op.emitOpError("outlier_channels must ascend and be columns of the input, found ") << column;
  return RowRoundingAttr::get(op.getContext(), rounding.getElement(), rounding.getBlock(), outliers,
                              rounding.getPerTensor(), rounding.getScale(), rounding.getZero());
}

namespace {
struct LinearReference {
  template <typename Real>
  static LogicalResult evaluate(LinearOp op, ArrayRef<Tensor> operands, Evaluator &evaluator,
                                SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0], &weight = operands[1];
    SmallVector<int64_t> shape(input.shape());
    int64_t k = shape.back(), rows = ShapedType::getNumElements(ArrayRef(shape).drop_back());
    shape.back() = cast<ShapedType>(op.getResult().getType()).getShape().back();
    if (ShapedType::isDynamic(shape.back())) // not static: N is taken from the weight, which is not packed
      shape.back() = weight.dim(1);
    int64_t n = shape.back();

    // Compiled code may round elements near a rounding boundary to the other side. If the interpreter computes in f32,
    // `worstCaseRounding` makes it round these elements to the other side (RowRounding.h). The bound, which is derived
    // from the difference between the results in f32 and f64, then includes this error.
    bool worstCaseRounding = evaluator.precision() != Precision::F64;
    std::vector<Real> x = elementsOf<Real>(input), w = weightOf<Real>(weight, k, n);
    Real minimum(0); // sums of a smaller magnitude become zero
    if (op.getRounding()) {
      FailureOr<RowRoundingAttr> rounding = roundingOf(op, operands, k);
      if (failed(rounding))
        return failure();
      std::vector<double> rounded = roundRows({x.begin(), x.end()}, k, *rounding, worstCaseRounding);
      x.assign(rounded.begin(), rounded.end());
      if (worstCaseRounding && rounding->getElement().isBF16()) {
        takeDenormalsForZero(x);
        takeDenormalsForZero(w);
        minimum = minSum<Real>(k);
      }
    }
    std::vector<Real> result =
        linear<Real>(rows, n, k, x, w, optionalElements<Real>(op.getODSOperands(2), operands), op.getActivation(),
                     optionalElements<Real>(op.getODSOperands(3), operands), minimum);
    results.push_back(tensorOf<Real>(shape, input.elementType(), result));
    return success();
  }
};
} // namespace

void heddle::registerLinearReference(MLIRContext *context) {
  LinearOp::attachInterface<ReferenceModel<LinearOp, LinearReference>>(*context);
}
