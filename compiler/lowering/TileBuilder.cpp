//===- TileBuilder.cpp - a builder of linalg ops on slices ----------------===//

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace heddle;

Value TileBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }

Value TileBuilder::index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(*this, getLoc(), value); }

Value TileBuilder::real(double value, Type type) {
  return arith::ConstantOp::create(*this, getFloatAttr(type, value));
}

Value TileBuilder::cast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(*this, type, value);
  return arith::TruncFOp::create(*this, type, value);
}

Value TileBuilder::add(Value x, Value y) { return createOrFold<arith::AddIOp>(x, y); }
Value TileBuilder::sub(Value x, Value y) { return createOrFold<arith::SubIOp>(x, y); }
Value TileBuilder::mul(Value x, int64_t y) { return createOrFold<arith::MulIOp>(x, index(y)); }
Value TileBuilder::min(Value x, Value y) { return createOrFold<arith::MinSIOp>(x, y); }
Value TileBuilder::max(Value x, Value y) { return createOrFold<arith::MaxSIOp>(x, y); }

Value TileBuilder::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(*this, shape, element);
}

Value TileBuilder::filled(ArrayRef<int64_t> shape, double value, Type element) {
  return linalg::FillOp::create(*this, real(value, element), empty(shape, element)).getResult(0);
}

/// Replaces constant values by attributes, so that the type of the slice has static sizes.
static SmallVector<OpFoldResult> foldConstants(ArrayRef<OpFoldResult> values) {
  SmallVector<OpFoldResult> result;
  for (OpFoldResult value : values)
    result.push_back(getConstantIntValue(value)
                         ? OpFoldResult(IntegerAttr::get(IndexType::get(value.getContext()),
                                                         *getConstantIntValue(value)))
                         : value);
  return result;
}

/// Returns `sizes` as operands of a slice: attributes for sizes that types can represent, otherwise emitted values.
static SmallVector<OpFoldResult> operandsOf(TileBuilder &b, ArrayRef<Extent> sizes) {
  SmallVector<OpFoldResult> operands;
  for (const Extent &size : sizes)
    operands.push_back(ShapedType::isDynamic(size.inTypes()) ? size.emit(b, b.getLoc())
                                                             : OpFoldResult(b.getIndexAttr(size.inTypes())));
  return foldConstants(operands);
}

Value TileBuilder::slice(Value from, ArrayRef<OpFoldResult> offsets, ArrayRef<Extent> sizes, ArrayRef<unsigned> keep) {
  auto type = llvm::cast<RankedTensorType>(from.getType());
  SmallVector<OpFoldResult> known = operandsOf(*this, sizes);
  SmallVector<int64_t> shape;
  for (unsigned dim : keep)
    shape.push_back(getConstantIntValue(known[dim]).value_or(ShapedType::kDynamic));
  auto result = RankedTensorType::get(shape, type.getElementType());
  if (result == type && result.hasStaticShape())
    return from;
  SmallVector<OpFoldResult> ones(sizes.size(), getIndexAttr(1));
  return tensor::ExtractSliceOp::create(*this, result, from, foldConstants(offsets), known, ones);
}

Value TileBuilder::insert(Value tile, Value into, ArrayRef<OpFoldResult> offsets, ArrayRef<Extent> sizes) {
  auto type = llvm::cast<RankedTensorType>(into.getType());
  if (tile.getType() == type && type.hasStaticShape())
    return tile;
  SmallVector<OpFoldResult> ones(sizes.size(), getIndexAttr(1));
  return tensor::InsertSliceOp::create(*this, tile, into, foldConstants(offsets), operandsOf(*this, sizes), ones);
}

void TileBuilder::insertInParallel(Value tile, Value into, ArrayRef<OpFoldResult> offsets, ArrayRef<Extent> sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), getIndexAttr(1));
  tensor::ParallelInsertSliceOp::create(*this, tile, into, offsets, operandsOf(*this, sizes), ones);
}

SmallVector<Value> TileBuilder::generic(StringRef iterators, ArrayRef<LoopDims> dims, ValueRange inputs,
                                        ValueRange outputs, Body body) {
  SmallVector<AffineMap> maps;
  for (const LoopDims &list : dims) {
    SmallVector<AffineExpr> results;
    for (unsigned dim : list)
      results.push_back(getAffineDimExpr(dim));
    maps.push_back(AffineMap::get(iterators.size(), 0, results, getContext()));
  }
  SmallVector<utils::IteratorType> types;
  for (char letter : iterators)
    types.push_back(letter == 'r' ? utils::IteratorType::reduction : utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(*this, outputs.getTypes(), inputs, outputs, maps, types,
                                      [&](OpBuilder &nested, Location loc, ValueRange args) {
                                        TileBuilder inner(loc, nested);
                                        linalg::YieldOp::create(inner, body(inner, args));
                                      });
  return llvm::to_vector_of<Value>(op.getResults());
}
