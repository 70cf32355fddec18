//===- Dequantize.cpp - the meaning of heddle.dequantize ------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Computes a heddle.dequantize without scales, which only converts floats to a wider type.
static Tensor plain(DequantizeOp op, const Tensor &input) {
  Type element = getElementTypeOrSelf(op.getType());
  return Tensor(input.shape(), element, std::vector<double>(input.floats().begin(), input.floats().end()));
}

namespace {
struct DequantizeReference {
  template <typename Real>
  static LogicalResult evaluate(DequantizeOp op, ArrayRef<Tensor> operands, Evaluator &,
                                SmallVectorImpl<Tensor> &results) {
    const Tensor &input = operands[0];
    if (op.isPlain()) {
      results.push_back(plain(op, input));
      return success();
    }
    const Tensor &scales = operands[1];
    const Tensor *zeros = optionalTensor(op.getODSOperands(2), operands);
    const Tensor *minima = optionalTensor(op.getODSOperands(3), operands);
    SmallVector<int64_t> strides = scales.strides();
    std::vector<Real> elements;
    elements.reserve(input.size());
    forEachIndex(input.shape(), [&](ArrayRef<int64_t> index) {
      int64_t block = 0;
      for (auto [i, length, stride] : llvm::zip_equal(index, op.getBlock(), strides))
        block += i / length * stride;
      int64_t steps = input.ints()[elements.size()] - (zeros ? zeros->ints()[block] : 0);
      Real value = Real(steps) * Real(scales.floats()[block]);
      elements.push_back(minima ? value + Real(minima->floats()[block]) : value);
    });
    if (const Tensor *outliers = optionalTensor(op.getODSOperands(4), operands)) {
      int64_t length = outliers->dim(0) ? outliers->size() / outliers->dim(0) : 0;
      const Tensor *numbers = optionalTensor(op.getODSOperands(5), operands);
      SmallVector<int64_t> rows(numbers ? ArrayRef<int64_t>(numbers->ints()) : op.getOutlierRows());
      for (auto [i, row] : llvm::enumerate(rows)) {
        if (row < 0 || row >= input.dim(0))
          return op.emitOpError("outlier_indices are not within the input's rows: ") << row;
        std::copy_n(outliers->floats().begin() + i * length, length, elements.begin() + row * length);
      }
    }
    results.push_back(tensorOf<Real>(input.shape(), getElementTypeOrSelf(op.getType()), elements));
    return success();
  }
};
} // namespace

void heddle::registerDequantizeReference(MLIRContext *context) {
  DequantizeOp::attachInterface<ReferenceModel<DequantizeOp, DequantizeReference>>(*context);
}
