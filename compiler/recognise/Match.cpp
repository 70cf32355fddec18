//===- Match.cpp - predicates shared by recognisers -----------------------===//

#include "Match.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

bool heddle::isNearly(double a, double b, Value value) {
  double tolerance = getElementTypeOrSelf(value).isF64() ? 1e-15 : 1e-6;
  return std::abs(a - b) <= tolerance * std::abs(b);
}

bool heddle::hasStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<ShapedType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() > 0);
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) && llvm::all_of(op->getResultTypes(), isStatic);
}

/// Returns the value of a number, or of a tensor whose elements are all equal.
static std::optional<double> numberOf(Attribute attr) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr)) {
    if (!elements.isSplat())
      return std::nullopt;
    attr = elements.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast_or_null<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    return double(number.getValue().getSExtValue());
  return std::nullopt;
}

std::optional<double> heddle::matchNumber(Value value) {
  if (isa<RankedTensorType>(value.getType())) {
    value = traceView(value).base;
    if (auto splat = value.getDefiningOp<tensor::SplatOp>())
      value = splat.getInput();
    else if (auto fill = value.getDefiningOp<linalg::FillOp>())
      value = fill.getInputs()[0];
  }
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return numberOf(attr);
}

std::optional<std::pair<Value, double>> heddle::matchScaled(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto mul = dyn_cast_or_null<arith::MulFOp>(op)) {
    if (auto number = matchNumber(mul.getRhs()))
      return std::make_pair(mul.getLhs(), *number);
    if (auto number = matchNumber(mul.getLhs()))
      return std::make_pair(mul.getRhs(), *number);
  } else if (auto div = dyn_cast_or_null<arith::DivFOp>(op)) {
    if (auto number = matchNumber(div.getRhs()); number && *number != 0)
      return std::make_pair(div.getLhs(), 1.0 / *number);
  } else if (auto neg = dyn_cast_or_null<arith::NegFOp>(op)) {
    return std::make_pair(neg.getOperand(), -1.0);
  }
  return std::nullopt;
}

std::optional<std::pair<Value, double>> heddle::matchShifted(Value value) {
  if (auto add = value.getDefiningOp<arith::AddFOp>()) {
    if (auto number = matchNumber(add.getRhs()))
      return std::make_pair(add.getLhs(), *number);
    if (auto number = matchNumber(add.getLhs()))
      return std::make_pair(add.getRhs(), *number);
  } else if (auto sub = value.getDefiningOp<arith::SubFOp>()) {
    if (auto number = matchNumber(sub.getRhs()))
      return std::make_pair(sub.getLhs(), -*number);
  }
  return std::nullopt;
}

bool heddle::haveSameElements(Value a, Value b) { return a == b || traceView(a) == traceView(b); }

Value heddle::matchRepeatedAlongRow(Value value) {
  View view = traceView(value);
  if (view.rank() == 0 || view.sizes.back() == 1 || view.strides.back() != 0)
    return {};
  view.sizes.pop_back();
  view.strides.pop_back();
  return view.isContiguous() ? view.base : Value();
}

bool heddle::isRepeatedRow(Value value) {
  View view = traceView(value);
  if (view.rank() == 0 || ShapedType::isDynamicShape(view.sizes))
    return false;
  if (matchNumber(value))
    return true;
  return llvm::all_of(ArrayRef(view.strides).drop_back(), [](int64_t stride) { return stride == 0; });
}

Value heddle::buildRow(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto rowType = type.clone({type.getShape().back()});
  if (std::optional<double> number = matchNumber(value)) {
    auto attr = builder.getFloatAttr(type.getElementType(), *number);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(rowType, Attribute(attr)));
  }
  View view = traceView(value);
  return materialize(builder, loc, View{view.base, {view.sizes.back()}, {view.strides.back()}});
}

Value heddle::matchRowSum(Value value) {
  auto reduce = peelReshapes(value).getDefiningOp<linalg::ReduceOp>();
  if (!reduce || reduce.getInputs().size() != 1 || !hasStaticShapes(reduce))
    return {};
  int64_t rank = cast<RankedTensorType>(reduce.getInputs()[0].getType()).getRank();
  if (reduce.getDimensions() != ArrayRef<int64_t>{rank - 1} || matchNumber(reduce.getInits()[0]) != 0.0)
    return {};
  Block &body = *reduce.getBody();
  auto add = dyn_cast<arith::AddFOp>(body.front());
  if (!add || body.getOperations().size() != 2 || body.getTerminator()->getOperand(0) != add.getResult() ||
      add.getLhs() == add.getRhs() || !isa<BlockArgument>(add.getLhs()) || !isa<BlockArgument>(add.getRhs()))
    return {};
  return reduce.getInputs()[0];
}

Value heddle::matchRowMean(Value value, StringRef &reason) {
  auto scaled = matchScaled(peelReshapes(value));
  Value row = matchRowSum(scaled ? scaled->first : value);
  if (!row) {
    reason = "expected a mean over the last dimension, found no sum over it";
    return {};
  }
  double length = cast<RankedTensorType>(row.getType()).getShape().back();
  if (!isNearly(scaled ? scaled->second * length : length, 1.0, value)) {
    reason = "the sum over a row is not divided by the row's length";
    return {};
  }
  return row;
}

Value heddle::matchSquared(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto mul = dyn_cast_or_null<arith::MulFOp>(op))
    return haveSameElements(mul.getLhs(), mul.getRhs()) ? mul.getLhs() : Value();
  if (auto pow = dyn_cast_or_null<math::PowFOp>(op))
    return matchNumber(pow.getRhs()) == 2.0 ? pow.getLhs() : Value();
  if (auto pow = dyn_cast_or_null<math::FPowIOp>(op))
    return matchNumber(pow.getRhs()) == 2.0 ? pow.getLhs() : Value();
  return {};
}

void heddle::collectFactors(Value value, double &number, SmallVectorImpl<Value> &factors,
                            SmallVectorImpl<Operation *> &ops) {
  // Activations have few factors. Without a limit, a chain of squares would take exponential time, because each square
  // doubles the number of factors.
  constexpr unsigned tooManyFactors = 8, tooManyOps = 64;
  if (factors.size() > tooManyFactors || ops.size() > tooManyOps) {
    factors.push_back(value);
    return;
  }
  if (auto scaled = matchScaled(value)) {
    ops.push_back(value.getDefiningOp());
    number *= scaled->second;
    collectFactors(scaled->first, number, factors, ops);
  } else if (auto mul = value.getDefiningOp<arith::MulFOp>()) {
    ops.push_back(mul);
    collectFactors(mul.getLhs(), number, factors, ops);
    collectFactors(mul.getRhs(), number, factors, ops);
  } else {
    factors.push_back(value);
  }
}
