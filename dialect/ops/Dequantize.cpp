//===- Dequantize.cpp - constraints of dequantize -------------------------===//

#include "Shapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Verifies an operation with a format (C4).
static LogicalResult verifyFormat(DequantizeOp op) {
  Format format = *op.getFormat();
  auto input = cast<RankedTensorType>(op.getInput().getType()), result = cast<RankedTensorType>(op.getType());
  if (op->getNumOperands() > 1 || !op.getBlock().empty() || !op.getOutlierRows().empty())
    return op.emitOpError("with a format has other operands than the input, or blocks (C4)");
  if (op.getTransposed() && input.getRank() != 2)
    return op.emitOpError("transposes a tensor of rank ") << input.getRank() << ", expected a matrix (C4)";
  if (!input.getElementType().isInteger(8) || input.getRank() < 1 || input.isDynamicDim(input.getRank() - 1) ||
      input.getShape().back() % format.getBlockBytes())
    return op.emitOpError("input is ") << input << ", expected bytes in rows of whole blocks, which have "
                                       << format.getBlockBytes() << " bytes (C4)";
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = shape.back() / format.getBlockBytes() * format.getBlockLength();
  if (op.getTransposed())
    std::swap(shape[0], shape[1]);
  if (ArrayRef<int64_t>(shape) != result.getShape())
    return op.emitOpError("result is ") << result << ", but the blocks of the input represent elements of the shape "
                                        << shapeText(shape) << " (C4)";
  return success();
}

LogicalResult DequantizeOp::verifyConstraints() {
  if (getFormat())
    return verifyFormat(*this);
  if (getTransposed())
    return emitOpError("is transposed, but has no format (C4)");
  Type from = getElementTypeOrSelf(getInput()), to = getElementTypeOrSelf(getResult());
  ArrayRef<int64_t> shape = shapeOf(getInput());
  if (failed(verifyCompatibleShape(getInput().getType(), getResult().getType())))
    return emitOpError("result has another shape than the input (C1)");
  if (isPlain()) {
    if (getZeroPoints() || getMinima() || getOutliers() || getOutlierIndices())
      return emitOpError("zero points, minima and outlier rows require scales (C1)");
    if (isa<FloatType>(from) && from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return success();
    return emitOpError("result has element type ") << to << ", expected floats wider than " << from << " (C1)";
  }
  if (isa<FloatType>(from))
    return emitOpError("only inputs of integers have scales, this input has elements of type ") << from << " (C1)";
  if (getBlock().size() != shape.size() || llvm::any_of(getBlock(), [](int64_t size) { return size < 1; }))
    return emitOpError("block must have a number of at least 1 for each of ") << shape.size() << " dimensions (C2)";
  SmallVector<int64_t> blocks;
  for (auto [size, block] : llvm::zip_equal(shape, getBlock()))
    blocks.push_back(isDynamic(size) ? size : int64_t(llvm::divideCeilSigned(size, block)));
  if (failed(expectShape(*this, "C2", "scales", getScales(), blocks)) ||
      failed(expectShape(*this, "C2", "zero_points", getZeroPoints(), blocks)) ||
      failed(expectShape(*this, "C2", "minima", getMinima(), blocks)))
    return failure();

  // Outlier rows: their indices are either constants (outlier_rows) or a tensor (outlier_indices).
  ArrayRef<int64_t> rows = getOutlierRows();
  if (!rows.empty() && getOutlierIndices())
    return emitOpError("has outlier_rows and outlier_indices, expected one of them (C3)");
  if (!getOutliers() && (!rows.empty() || getOutlierIndices()))
    return emitOpError(rows.empty() ? "outlier_indices" : "outlier_rows") << " requires outliers (C3)";
  if (!getOutliers())
    return success();
  if (shape.empty() || getElementTypeOrSelf(getOutliers()) != to)
    return emitOpError("outliers has element type ")
           << getElementTypeOrSelf(getOutliers()) << ", expected " << to << " (C3)";
  SmallVector<int64_t> outliers(shape);
  outliers[0] = getOutlierIndices() ? shapeOf(getOutlierIndices())[0] : int64_t(rows.size());
  for (auto [i, row] : llvm::enumerate(rows))
    if (row < 0 || (!isDynamic(shape[0]) && row >= shape[0]) || (i && row <= rows[i - 1]))
      return emitOpError("outlier_rows must ascend and be rows of the input (C3)");
  return expectShape(*this, "C3", "outliers", getOutliers(), outliers);
}

Value heddle::storedValue(Value value) {
  auto dequantize = value.getDefiningOp<DequantizeOp>();
  // The input of a plain heddle.dequantize is the same tensor in a narrower float type.
  return dequantize && dequantize.isPlain() ? dequantize.getInput() : value;
}

Value heddle::widenedLike(OpBuilder &builder, Value narrow, Value like) {
  if (storedValue(like) == like)
    return narrow;
  auto type = cast<RankedTensorType>(narrow.getType()).clone(getElementTypeOrSelf(like));
  return DequantizeOp::create(builder, like.getLoc(), type, narrow);
}
