//===- TileCopy.cpp - the meaning of heddle.tile_copy ---------------------===//

#include "interpreter/Buffer.h"
#include "interpreter/Rounding.h"
#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Returns the elements in the type `type`. If it has fewer bits than f32, the elements are rounded to it, whatever the
/// precision of the interpreter is.
static Tensor converted(const Tensor &elements, Type type) {
  if (elements.elementType() == type)
    return elements;
  std::vector<double> values = elements.floats().vec();
  if (isNarrowFloat(type))
    for (double &value : values)
      value = roundTo(cast<FloatType>(type), value);
  return Tensor(elements.shape(), type, std::move(values));
}

static LogicalResult evaluateTileCopy(TileCopyOp op, MutableArrayRef<Tensor> operands, Evaluator &,
                                      SmallVectorImpl<Tensor> &results) {
  const Tensor &source = operands[0], &tile = operands.back();
  bool isLimited = !op.getValid().empty();
  int64_t row = operands[1].ints()[0], column = operands[2].ints()[0];
  int64_t rows = tile.dim(0), columns = tile.dim(1);
  int64_t validRows = isLimited ? std::min(rows, operands[3].ints()[0]) : rows;
  int64_t validColumns = isLimited ? std::min(columns, operands[4].ints()[0]) : columns;
  if (row < 0 || column < 0 || validRows < 0 || validColumns < 0 || row + validRows > source.dim(0) ||
      column + validColumns > source.dim(1))
    return op.emitOpError() << "copies " << validRows << " x " << validColumns << " elements from (" << row << ", "
                            << column << "), which lie outside the source of " << source.dim(0) << " x "
                            << source.dim(1);
  SmallVector<int64_t> strides(source.buffer() ? source.buffer()->strides() : ArrayRef<int64_t>(source.strides()));
  SmallVector<int64_t> offsets;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      offsets.push_back(i < validRows && j < validColumns ? (row + i) * strides[0] + (column + j) * strides[1] : -1);
  if (!source.buffer()) {
    results.push_back(converted(source.picked(tile.shape(), offsets), tile.elementType()));
    return success();
  }
  FailureOr<Tensor> elements = source.buffer()->read(op, tile.shape(), offsets);
  return failed(elements) ? failure() : tile.buffer()->store(op, converted(*elements, tile.elementType()));
}

void heddle::registerTileCopyReference(MLIRContext *context) { attach<TileCopyOp, evaluateTileCopy>(context); }
