//===- Dequantize.cpp - the meaning of heddle.dequantize ------------------===//

#include "formats/FormatReader.h"
#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Computes a heddle.dequantize without scales, which only converts floats to a wider type.
static Tensor plain(DequantizeOp op, const Tensor &input) {
  Type element = getElementTypeOrSelf(op.getType());
  return Tensor(input.shape(), element, std::vector<double>(input.floats().begin(), input.floats().end()));
}

/// Computes a heddle.dequantize with a format.
template <typename Real> static Tensor ofFormat(DequantizeOp op, const Tensor &input) {
  Format format = *op.getFormat();
  FormatReader reader(format);
  auto type = cast<RankedTensorType>(op.getType());
  int64_t length = format.getBlockLength(), bytes = format.getBlockBytes(), group = format.getGroupLength();
  std::vector<char> block(bytes);
  std::vector<int8_t> codes(length);
  std::vector<float> scales(length / group), offsets(length / group);
  std::vector<Real> elements;
  for (int64_t at = 0; at < input.size(); at += bytes) {
    llvm::copy(input.ints().slice(at, bytes), block.begin());
    reader.readCodes(block.data(), codes);
    reader.readScales(block.data(), scales);
    reader.readOffsets(block.data(), offsets);
    for (int64_t i = 0; i < length; ++i) {
      Real product = Real(codes[i]) * Real(scales[i / group]);
      elements.push_back(format.hasOffset() ? product + Real(offsets[i / group]) : product);
    }
  }
  if (op.getTransposed()) {
    int64_t rows = input.shape()[0], columns = rows ? int64_t(elements.size()) / rows : 0;
    std::vector<Real> transposed(elements.size());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        transposed[column * rows + row] = elements[row * columns + column];
    elements = std::move(transposed);
  }
  SmallVector<int64_t> shape(input.shape());
  shape.back() = shape.back() / bytes * length;
  if (op.getTransposed())
    std::swap(shape[0], shape[1]);
  return tensorOf<Real>(shape, type.getElementType(), elements);
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
    if (op.getFormat()) {
      results.push_back(ofFormat<Real>(op, input));
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
