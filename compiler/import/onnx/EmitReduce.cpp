//===- EmitReduce.cpp - sums, products and extrema along dimensions -------===//

#include "Emit.h"

#include "sizes/ReduceSizes.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Reduction = Emitter::Reduction;

/// The neutral element of the reduction, such as 0 for a sum.
static TypedAttr neutral(OpBuilder &b, Reduction kind, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    switch (kind) {
    case Reduction::Sum:
      return b.getFloatAttr(type, 0.0);
    case Reduction::Product:
      return b.getFloatAttr(type, 1.0);
    case Reduction::Max:
      return b.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
    case Reduction::Min:
      return b.getFloatAttr(type, APFloat::getInf(semantics));
    }
  }
  unsigned width = element.getIntOrFloatBitWidth();
  switch (kind) {
  case Reduction::Sum:
    return b.getIntegerAttr(element, 0);
  case Reduction::Product:
    return b.getIntegerAttr(element, 1);
  case Reduction::Max:
    return b.getIntegerAttr(element, APInt::getSignedMinValue(width));
  case Reduction::Min:
    return b.getIntegerAttr(element, APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("all kinds handled");
}

static Value combine(OpBuilder &b, Location loc, Reduction kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case Reduction::Sum:
    return isFloat ? Value(arith::AddFOp::create(b, loc, x, y)) : Value(arith::AddIOp::create(b, loc, x, y));
  case Reduction::Product:
    return isFloat ? Value(arith::MulFOp::create(b, loc, x, y)) : Value(arith::MulIOp::create(b, loc, x, y));
  case Reduction::Max:
    return isFloat ? Value(arith::MaximumFOp::create(b, loc, x, y))
                   : Value(arith::MaxSIOp::create(b, loc, x, y));
  case Reduction::Min:
    return isFloat ? Value(arith::MinimumFOp::create(b, loc, x, y))
                   : Value(arith::MinSIOp::create(b, loc, x, y));
  }
  llvm_unreachable("all kinds handled");
}

DenseElementsAttr Emitter::foldReduce(Reduction kind, DenseElementsAttr elements, ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(elements.getType());
  std::optional<Numbers> values = heddle::integersOf(elements);
  if (!values)
    return {};
  Numbers kept(type.getShape());
  for (int64_t axis : axes)
    kept[axis] = 1;
  Numbers strides = stridesOf(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;
  auto resultType = RankedTensorType::get(kept, type.getElementType());
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> results(resultType.getNumElements(),
                             cast<IntegerAttr>(neutral(*this, kind, type.getElementType())).getValue());
  auto next = values->begin();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, stride] : llvm::zip_equal(index, strides))
      at += i * stride;
    APInt &result = results[at], value(width, static_cast<uint64_t>(*next++), true, true);
    switch (kind) {
    case Reduction::Sum:
      result += value;
      break;
    case Reduction::Product:
      result *= value;
      break;
    case Reduction::Max:
      result = llvm::APIntOps::smax(result, value);
      break;
    case Reduction::Min:
      result = llvm::APIntOps::smin(result, value);
      break;
    }
  });
  return DenseElementsAttr::get(resultType, results);
}

/// Returns the same kind of reduction for expressions of sizes.
static SizeReduction ofSizes(Reduction kind) {
  switch (kind) {
  case Reduction::Sum:
    return SizeReduction::Sum;
  case Reduction::Product:
    return SizeReduction::Product;
  case Reduction::Max:
    return SizeReduction::Max;
  case Reduction::Min:
    return SizeReduction::Min;
  }
  llvm_unreachable("all kinds handled");
}

Value Emitter::reduce(Reduction kind, Value value, ArrayRef<int64_t> axes, bool keep) {
  if (axes.empty())
    return value;
  Shape kept(shapeOf(value)), dropped;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(value))) {
    if (llvm::is_contained(axes, dim))
      kept[dim] = 1;
    else
      dropped.push_back(extent);
  }
  if (DenseElementsAttr elements = constantOf(value); elements && canFold(shapeOf(value)))
    if (DenseElementsAttr folded = foldReduce(kind, elements, axes))
      return reshape(constant(folded), keep ? kept : dropped);
  if (value.getDefiningOp<SizesOp>())
    if (std::optional<SizedTensor> sized = reduceSizes(*SizedTensor::of(value), axes, ofSizes(kind)))
      return reshape(sized->emit(*this), keep ? kept : dropped);
  Type element = elementOf(value);
  Value start = arith::ConstantOp::create(*this, neutral(*this, kind, element));
  Value init = linalg::FillOp::create(*this, start, empty(dropped, element)).getResult(0);
  auto op = linalg::ReduceOp::create(*this, value, init, axes, [&](OpBuilder &b, Location loc, ValueRange args) {
    linalg::YieldOp::create(b, loc, combine(b, loc, kind, args[0], args[1]));
  });
  return reshape(op->getResult(0), keep ? kept : dropped);
}
