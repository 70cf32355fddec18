//===- IndexTuples.cpp - tuples of indices, column by column --------------===//

#include "IndexTuples.h"
#include "LookupIndices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

/// Reads column `j` of the index tuples, which indexes a dimension with the extent `extent`.
static FailureOr<Column> readColumn(NodeContext &n, Value tuples, int64_t j, const Dim &extent) {
  Shape shape = shapeOf(tuples);
  int64_t last = shape.size() - 1;
  Column column;
  // If the tuples are a concatenation of their columns, reads the operand of the concatenation, because the range of
  // the operand may be known.
  auto concat = tuples.getDefiningOp<tensor::ConcatOp>();
  bool isConcatenated =
      concat && int64_t(concat.getDim()) == last && shape.back().number() == int64_t(concat.getInputs().size());
  bool isOwnTensor = isConcatenated || shape.back().number() == 1;
  column.indices = isConcatenated ? Value(concat.getInputs()[j]) : n.b.slice(tuples, last, j, 1);
  shape.pop_back();
  column.indices = n.b.reshape(column.indices, shape);
  if (std::optional<Numbers> known = Emitter::integersOf(column.indices); known && extent.isFixed()) {
    Shape indices(known->begin(), known->end());
    if (failed(normalizeIndices(n, indices, extent)))
      return failure();
    column.known = fixedNumbers(indices);
    return column;
  }
  if (extent.high() > INT32_MAX)
    column.indices = n.b.castTo(column.indices, n.b.getI64Type());
  // If the column is only a part of an input, the input does not get a range of valid elements (heddle.range), since
  // this range would apply to all columns.
  FailureOr<bool> negative =
      isOwnTensor ? boundIndices(n, column.indices, extent) : checkIndices(n, column.indices, extent);
  if (failed(negative))
    return failure();
  column.negative = *negative;
  return column;
}

FailureOr<SmallVector<Column>> heddle::onnx::readTuples(NodeContext &n, Value data, Value tuples) {
  if (rankOf(tuples) == 0 || failed(n.requireInteger(tuples)))
    return n.error() << "expected tuples of indices, integers with at least one dimension, found " << typeText(tuples);
  Shape from = shapeOf(data);
  Dim length = shapeOf(tuples).back();
  if (!length.isFixed() || length < 1 || length > static_cast<int64_t>(from.size()))
    return n.error() << "tuples of indices have the length " << length.text() << ", which is not supported for data of "
                     << typeText(data);
  SmallVector<Column> columns;
  for (int64_t j = 0; j < *length.number(); ++j) {
    FailureOr<Column> next = readColumn(n, tuples, j, from[j]);
    if (failed(next))
      return failure();
    columns.push_back(std::move(*next));
  }
  return columns;
}

std::optional<int64_t> heddle::onnx::findOwnPlaces(const Column &column) {
  if (std::optional<heddle::SizedTensor> sized = heddle::SizedTensor::of(column.indices))
    if (std::optional<heddle::SizeExpression> formula = sized->isFormula ? sized->formula() : std::nullopt) {
      SmallVector<unsigned> places = formula->places();
      bool isPlace = places.size() == 1 && *formula == heddle::SizeExpression::place(places[0]);
      return isPlace ? std::optional<int64_t>(places[0]) : std::nullopt;
    }
  if (!column.known)
    return std::nullopt;
  Numbers shape = *fixedNumbers(shapeOf(column.indices));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const int64_t *next = column.known->begin();
    bool fits = true;
    forEachIndex(shape, [&](ArrayRef<int64_t> at) { fits &= *next++ == at[dim]; });
    if (fits)
      return dim;
  }
  return std::nullopt;
}
