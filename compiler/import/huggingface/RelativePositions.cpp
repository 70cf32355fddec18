//===- RelativePositions.cpp - biases by relative position ----------------===//

#include "RelativePositions.h"

#include "Tensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

int64_t RelativeBuckets::of(int64_t distance) const {
  int64_t half = count / 2, exact = half / 2, away = std::abs(distance), first = distance > 0 ? half : 0;
  if (away < exact)
    return first + away;
  // Compute in the same order as transformers, in single precision: some distances lie exactly at the edge of a bucket,
  // so different rounding would select a different bucket.
  float share = std::log(static_cast<float>(away) / static_cast<float>(exact));
  share /= static_cast<float>(std::log(static_cast<double>(farthest) / exact));
  auto place = static_cast<int64_t>(share * static_cast<float>(half - exact));
  return first + std::min(exact + place, half - 1);
}

Value heddle::relativeBias(ImplicitLocOpBuilder &builder, Value table, const RelativeBuckets &buckets,
                           const Dim &sequence, int64_t longest) {
  // The tensor `byDistance` has a row for each distance from 1 - longest to longest - 1. This tensor does not depend on
  // the sequence length, so the code is the same for all lengths.
  SmallVector<int64_t> rows;
  for (int64_t distance = 1 - longest; distance < longest; ++distance)
    rows.push_back(buckets.of(distance));
  auto rowsType = RankedTensorType::get({static_cast<int64_t>(rows.size())}, builder.getI64Type());
  Value ids = arith::ConstantOp::create(builder, DenseIntElementsAttr::get(rowsType, rows));
  Value byDistance = lookUp(builder, table, ids);

  auto tableType = cast<RankedTensorType>(table.getType());
  auto type = tableType.clone(numbersOf({1, tableType.getDimSize(1), sequence, sequence}));
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  auto bias = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(4)}, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        Value head = linalg::IndexOp::create(nested, loc, 1), query = linalg::IndexOp::create(nested, loc, 2),
              key = linalg::IndexOp::create(nested, loc, 3);
        Value first = arith::ConstantIndexOp::create(nested, loc, longest - 1);
        Value distance = arith::SubIOp::create(nested, loc, key, query);
        Value row = arith::AddIOp::create(nested, loc, distance, first);
        Value element = tensor::ExtractOp::create(nested, loc, byDistance, ValueRange{row, head});
        linalg::YieldOp::create(nested, loc, element);
      });
  return bias.getResult(0);
}
