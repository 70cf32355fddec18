//===- Tensors.cpp - common operations of imported models -----------------===//

#include "Tensors.h"

#include "../sizes/EmitSizes.h"
#include "../sizes/SizeScope.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

static Value emptyLike(ImplicitLocOpBuilder &builder, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
}

Value heddle::lookUp(ImplicitLocOpBuilder &builder, Value table, Value ids) {
  auto tableType = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> shape(cast<RankedTensorType>(ids.getType()).getShape());
  unsigned idRank = shape.size();
  shape.push_back(tableType.getDimSize(1));
  auto type = RankedTensorType::get(shape, tableType.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(idRank + 1);
  AffineMap outer = all.getMajorSubMap(idRank);
  SmallVector<utils::IteratorType> iterators(idRank + 1, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{ids}, ValueRange{emptyLike(builder, type)},
      ArrayRef<AffineMap>{outer, all}, iterators, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value row = arith::IndexCastOp::create(nested, loc, nested.getIndexType(), arguments[0]);
        Value column = linalg::IndexOp::create(nested, loc, idRank);
        Value element = tensor::ExtractOp::create(nested, loc, table, ValueRange{row, column});
        linalg::YieldOp::create(nested, loc, element);
      });
  return generic.getResult(0);
}

Value heddle::takeColumns(ImplicitLocOpBuilder &builder, Value value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  auto orderType = RankedTensorType::get(int64_t(order.size()), builder.getI64Type());
  Value columns = arith::ConstantOp::create(builder, DenseElementsAttr::get(orderType, order));
  AffineMap all = builder.getMultiDimIdentityMap(rank), last = all.getMinorSubMap(1);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{columns}, ValueRange{emptyLike(builder, type)},
      ArrayRef<AffineMap>{last, all}, iterators, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        SmallVector<Value> index;
        for (unsigned dim = 0; dim + 1 < rank; ++dim)
          index.push_back(linalg::IndexOp::create(nested, loc, dim));
        index.push_back(arith::IndexCastOp::create(nested, loc, nested.getIndexType(), arguments[0]));
        linalg::YieldOp::create(nested, loc, tensor::ExtractOp::create(nested, loc, value, index).getResult());
      });
  return generic.getResult(0);
}

Value heddle::takeRows(ImplicitLocOpBuilder &builder, Value table, const Dim &count) {
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> sizes = {numberOf(count), type.getDimSize(1)};
  // If the placeholder of `count` were equal to the number of the table's rows, MLIR would remove the slice, and the
  // code would depend on the placeholder (dialect/SIZES.md). Therefore, the placeholder must be less than this number.
  if (SizeScope *scope = SizeScope::current())
    scope->requireNotNegative((Dim(type.getDimSize(0)) - 1 - count).asExpression());
  auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(builder.getContext(), values); };
  return tensor::ExtractSliceOp::create(builder, type.clone(sizes), table, mixed({0, 0}), mixed(sizes), mixed({1, 1}));
}

/// Returns the slice of `value` [batch, sequence, width] at `index` of dimension `dim`, without this dimension.
static Value takeFrom(ImplicitLocOpBuilder &builder, Value value, int64_t dim, int64_t index) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> offsets(3, 0), sizes(type.getShape()), shape(sizes);
  offsets[dim] = index;
  sizes[dim] = 1;
  shape.erase(shape.begin() + dim);
  auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(builder.getContext(), values); };
  return tensor::ExtractSliceOp::create(builder, type.clone(shape), value, mixed(offsets), mixed(sizes),
                                        mixed({1, 1, 1}));
}

Value heddle::takeToken(ImplicitLocOpBuilder &builder, Value value, int64_t index) {
  return takeFrom(builder, value, 1, index);
}

Value heddle::takeFeature(ImplicitLocOpBuilder &builder, Value value, int64_t index) {
  return takeFrom(builder, value, 2, index);
}

Value heddle::positionsOfTokens(ImplicitLocOpBuilder &builder, Value ids, int64_t padding) {
  auto type = cast<RankedTensorType>(ids.getType());
  MLIRContext *context = builder.getContext();
  AffineExpr batch, position, other;
  bindDims(context, batch, position, other);
  auto map = [&](AffineExpr column) { return AffineMap::get(3, 0, {batch, column}, context); };
  auto parallel = utils::IteratorType::parallel;
  Value first = splat(builder, type, padding);
  Value isToken = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, ids, first);
  // Counts the tokens up to and including each position.
  auto count = linalg::GenericOp::create(
      builder, TypeRange{type}, ValueRange{isToken}, ValueRange{splat(builder, type, 0)},
      ArrayRef<AffineMap>{map(other), map(position)},
      ArrayRef<utils::IteratorType>{parallel, parallel, utils::IteratorType::reduction},
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value here = linalg::IndexOp::create(nested, loc, 1), there = linalg::IndexOp::create(nested, loc, 2);
        Value before = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sle, there, here);
        Value counts = arith::AndIOp::create(nested, loc, before, arguments[0]);
        Value one = arith::ExtUIOp::create(nested, loc, nested.getI64Type(), counts);
        linalg::YieldOp::create(nested, loc, arith::AddIOp::create(nested, loc, arguments[1], one).getResult());
      });
  Value places = arith::AddIOp::create(builder, count.getResult(0), first);
  return arith::SelectOp::create(builder, isToken, places, first);
}

Value heddle::broadcast(ImplicitLocOpBuilder &builder, Value value, RankedTensorType type,
                        ArrayRef<int64_t> dims) {
  return linalg::BroadcastOp::create(builder, value, emptyLike(builder, type), dims)->getResult(0);
}

Value heddle::reduce(ImplicitLocOpBuilder &builder, Value value, int64_t dim, bool maximum) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  double initial = maximum ? -std::numeric_limits<double>::infinity() : 0.0;
  Value start = splat(builder, type.clone(shape), initial);
  auto reduction = linalg::ReduceOp::create(
      builder, ValueRange{value}, ValueRange{start}, ArrayRef<int64_t>{dim},
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value result;
        if (maximum)
          result = arith::MaximumFOp::create(nested, loc, arguments[0], arguments[1]);
        else
          result = arith::AddFOp::create(nested, loc, arguments[0], arguments[1]);
        linalg::YieldOp::create(nested, loc, result);
      });
  return reduction.getResult(0);
}

Value heddle::splat(ImplicitLocOpBuilder &builder, RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute attribute = isa<FloatType>(element) ? Attribute(builder.getFloatAttr(element, value))
                                                : builder.getIntegerAttr(element, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, DenseElementsAttr::get(type, attribute));
}

Value heddle::splatSize(ImplicitLocOpBuilder &builder, RankedTensorType type, const Dim &size) {
  if (size.isFixed())
    return splat(builder, type, double(*size.number()));
  Value element = arith::IndexCastOp::create(builder, type.getElementType(), emitSize(builder, size.asExpression()));
  return linalg::FillOp::create(builder, element, emptyLike(builder, type)).getResult(0);
}

Value heddle::isNotZero(ImplicitLocOpBuilder &builder, Value value) {
  Value zero = splat(builder, cast<RankedTensorType>(value.getType()), 0);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value, zero);
}
