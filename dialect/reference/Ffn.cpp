//===- Ffn.cpp - the meaning of heddle.ffn --------------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

namespace {
struct FfnReference {
  template <typename Real>
  static LogicalResult evaluate(FfnOp op, ArrayRef<Tensor> operands, Evaluator &, SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0];
    auto optional = [&](unsigned i) { return optionalElements<Real>(op.getODSOperands(i), operands); };
    const Tensor *gateWeight = optionalTensor(op.getODSOperands(5), operands);
    SmallVector<int64_t> shape(input.shape());
    // Packed weights are [.., panels, rows, panel]. The hidden size is the number of rows of `down`. The number of
    // columns of `down` is taken from the result if `down` is packed, since the last panel may be padded.
    const Tensor &upWeight = operands[1], &downWeight = operands[2];
    int64_t k = shape.back(), hidden = downWeight.dim(downWeight.rank() - 2);
    int64_t n = downWeight.rank() == 2 ? downWeight.dim(1)
                                       : cast<ShapedType>(op.getResult().getType()).getShape().back();
    std::vector<Real> x = elementsOf<Real>(input), up = weightOf<Real>(upWeight, k, hidden);
    std::vector<Real> down = weightOf<Real>(downWeight, hidden, n), upBias = optional(3), downBias = optional(4);
    std::vector<Real> gate, gateBias = optional(6), residual = optional(7);
    if (gateWeight)
      gate = weightOf<Real>(*gateWeight, k, hidden);
    int64_t rows = ShapedType::getNumElements(ArrayRef(shape).drop_back());
    shape.back() = n;

    // With a gate, the activation is applied to input x gate instead of input x up.
    std::vector<Real> middle;
    if (gate.empty()) {
      middle = linear<Real>(rows, hidden, k, x, up, upBias, op.getActivation(), {});
    } else {
      middle = linear<Real>(rows, hidden, k, x, up, upBias, Activation::None, {});
      std::vector<Real> gates = linear<Real>(rows, hidden, k, x, gate, gateBias, op.getActivation(), {});
      for (auto [value, factor] : llvm::zip_equal(middle, gates))
        value *= factor;
    }
    std::vector<Real> result = linear<Real>(rows, n, hidden, middle, down, downBias, Activation::None, residual);
    results.push_back(tensorOf<Real>(shape, input.elementType(), result));
    return success();
  }
};
} // namespace

void heddle::registerFfnReference(MLIRContext *context) {
  FfnOp::attachInterface<ReferenceModel<FfnOp, FfnReference>>(*context);
}
