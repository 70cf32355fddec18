//===- Norm.cpp - the meaning of heddle.layer_norm and heddle.rms_norm ----===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

template <typename Real>
static Real mean(ArrayRef<Real> row) {
  Real sum = 0;
  for (Real x : row)
    sum += x;
  return sum / Real(row.size());
}

template <typename Real>
static Real meanSquare(ArrayRef<Real> row) {
  Real sum = 0;
  for (Real x : row)
    sum += x * x;
  return sum / Real(row.size());
}

/// Computes layer_norm, which first subtracts the mean of each row, if `centre` is set, otherwise rms_norm. An absent
/// scale, bias or residual is an empty array.
template <typename Real, typename Op>
static Tensor normalize(Op op, ArrayRef<Tensor> operands, bool centre, ArrayRef<Real> scale, ArrayRef<Real> bias,
                        ArrayRef<Real> residual) {
  const Tensor &input = operands[0];
  std::vector<Real> x = elementsOf<Real>(input);
  for (auto [value, addend] : llvm::zip(x, residual))
    value += addend;
  int64_t d = input.shape().back();
  Real epsilon = Real(op.getEpsilon().convertToDouble());
  for (int64_t start = 0; start < input.size(); start += d) {
    MutableArrayRef<Real> row(x.data() + start, d);
    if (centre) {
      Real middle = mean<Real>(row);
      for (Real &value : row)
        value -= middle;
    }
    Real deviation = std::sqrt(meanSquare<Real>(row) + epsilon);
    for (int64_t i = 0; i < d; ++i) {
      row[i] /= deviation;
      if (!scale.empty())
        row[i] *= scale[i];
      if (!bias.empty())
        row[i] += bias[i];
    }
  }
  return tensorOf<Real>(input.shape(), input.elementType(), x);
}

namespace {
struct LayerNormReference {
  template <typename Real>
  static LogicalResult evaluate(LayerNormOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    auto optional = [&](unsigned i) { return optionalElements<Real>(op.getODSOperands(i), operands); };
    results.push_back(normalize<Real>(op, operands, /*centre=*/true, optional(1), optional(2), optional(3)));
    return success();
  }
};
struct RmsNormReference {
  template <typename Real>
  static LogicalResult evaluate(RmsNormOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    auto optional = [&](unsigned i) { return optionalElements<Real>(op.getODSOperands(i), operands); };
    results.push_back(normalize<Real>(op, operands, /*centre=*/false, optional(1), {}, optional(2)));
    return success();
  }
};
} // namespace

void heddle::registerNormReference(MLIRContext *context) {
  LayerNormOp::attachInterface<ReferenceModel<LayerNormOp, LayerNormReference>>(*context);
  RmsNormOp::attachInterface<ReferenceModel<RmsNormOp, RmsNormReference>>(*context);
}
