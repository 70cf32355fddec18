//===- Quantization.cpp - QuantizeLinear, MatMulInteger etc. --------------===//
//
// A product of rounded rows with a stored weight becomes a linear layer with rounded rows: a heddle.linear that rounds
// the rows of its input itself. All other operations become arithmetic on integers that are represented by floats
// (SmallIntegers.h).
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"
#include "MatMul.h"
#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

LogicalResult heddle::onnx::requireSmall(NodeContext &n, size_t i) {
  if (n.smallType(i))
    return success();
  return n.error() << "expected integers of 8 (or 4) bits, found " << typeText(n.in(i)) << " (input " << i << ")";
}

/// Emits min(maximum, max(minimum, rint(x / scale) + zero)), with the minimum and maximum of `type`. NaN remains NaN,
/// because ONNX does not define to which integer it is rounded.
static Value round(Emitter &b, Value x, Value scale, Value zero, IntegerType type) {
  Value q = b.elementwise<math::RoundEvenOp>(b.div(x, scale));
  if (zero)
    q = b.add(q, zero);
  return b.minimum(b.maximum(q, b.splat({}, b.getF32Type(), minOf(type))), b.splat({}, b.getF32Type(), maxOf(type)));
}

/// Records that `q` is `x` rounded with `scale` and `zero`, so a product of `q` and a weight can become a linear layer
/// with rounded rows. Does nothing unless `x` is f32, `type` has 8 bits, and scale and zero point are splat constants.
static void remember(NodeContext &n, Value q, Value x, Value scale, Value zero, IntegerType type) {
  std::optional<double> step = Emitter::splatOf(scale), offset = zero ? Emitter::splatOf(zero) : 0.0;
  if (!step || !(*step > 0) || !std::isfinite(*step) || !offset || type.getWidth() != 8 || !elementOf(x).isF32())
    return;
  MLIRContext *context = n.b.getContext();
  Type stored = type.isUnsigned() ? type : IntegerType::get(context, 8);
  auto rounding = RowRoundingAttr::get(context, stored, 0, {}, /*per_tensor=*/false, n.b.getF32FloatAttr(float(*step)),
                                       int64_t(*offset));
  n.model.small.integers[q] = {x, scale, zero, rounding};
}

/// The type of the integers that DynamicQuantizeLinear yields. It is also the default of QuantizeLinear.
static IntegerType ui8(MLIRContext *context) { return IntegerType::get(context, 8, IntegerType::Unsigned); }

namespace {

LogicalResult convertQuantizeLinear(NodeContext &n) {
  Value x = n.in(0), zero = n.in(2);
  Scaling scaling{n.in(1), zero, {}, n.intAttr("axis", 1), n.intAttr("block_size", 0)};
  n.intAttr("saturate", 1); // `saturate` only applies to 8-bit floats
  int64_t precision = n.intAttr("precision", 0), element = n.intAttr("output_dtype", 0);
  IntegerType type = element ? smallIntegerType(n.b.getContext(), element) : ui8(n.b.getContext());
  if (!type)
    return n.error() << "output_dtype " << elementTypeName(element) << " is not supported";
  if (zero) {
    if (failed(requireSmall(n, 2)))
      return failure();
    if (element && type != n.smallType(2))
      return n.error() << "output_dtype differs from the type of the zero point";
    type = n.smallType(2);
  }
  if (failed(n.requireFloat(x)))
    return failure();
  if (precision != 0 && precision != 1)
    return n.error() << "precision " << elementTypeName(precision) << " is not supported, expected FLOAT";
  FailureOr<SmallVector<int64_t>> block = checkScaling(n, shapeOf(x), scaling);
  if (failed(block))
    return failure();
  Value scale = spread(n.b, scaling.scales, shapeOf(x), *block);
  Value wide = n.b.castTo(x, n.b.getF32Type());
  Value q = round(n.b, wide, scale, zero ? spread(n.b, zero, shapeOf(x), *block) : Value(), type);
  remember(n, q, x, n.in(1), zero, type);
  return n.yieldSmall(q, type);
}

LogicalResult convertDequantizeLinear(NodeContext &n) {
  Value x = n.in(0), zero = n.in(2);
  Scaling scaling{n.in(1), zero, n.smallType(0), n.intAttr("axis", 1), n.intAttr("block_size", 0)};
  int64_t element = n.intAttr("output_dtype", 0);
  Type type = element ? elementType(n.b.getContext(), element) : elementOf(scaling.scales);
  if (!type || !isa<FloatType>(type))
    return n.error() << "output_dtype " << elementTypeName(element) << " is not supported";
  if (zero && !n.smallType(0)) {
    if (Emitter::splatOf(zero) != 0.0 || elementOf(zero) != elementOf(x))
      return n.error() << "a zero point of " << typeText(zero) << " with integers of " << typeText(x)
                       << " is not supported";
    scaling.zeros = {};
  } else if (zero && n.smallType(2) != n.smallType(0)) {
    return n.error() << "the zero points are not of the type of the integers, " << n.smallType(0);
  }
  if (!n.smallType(0)) {
    if (!elementOf(x).isInteger(32))
      return n.error() << "expected integers of 4, 8 or 32 bits, found " << typeText(x);
    x = n.b.castTo(x, n.b.getF32Type());
  }
  FailureOr<Value> floats = dequantize(n, x, scaling);
  if (failed(floats))
    return failure();
  auto rounded = n.model.small.integers.find(x);
  if (rounded != n.model.small.integers.end() && elementOf(scaling.scales).isF32() &&
      areSame(rounded->second.scale, n.in(1)) && areSame(rounded->second.zero, zero)) {
    SmallIntegers::Rounded same = rounded->second;
    n.model.small.floats[*floats] = same;
  }
  return n.yield(n.b.castTo(*floats, type));
}

LogicalResult convertDynamicQuantizeLinear(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  if (!elementOf(n.in(0)).isF32())
    return n.error() << "expected elements of f32, found " << typeText(n.in(0));
  SmallIntegers::Rounded rounded = roundDynamically(n, n.in(0));
  Value q = round(n.b, rounded.source, rounded.scale, rounded.zero, ui8(n.b.getContext()));
  n.model.small.integers[q] = rounded;
  (void)n.yield(1, rounded.scale);
  (void)n.yieldSmall(rounded.zero, ui8(n.b.getContext()), 2);
  return n.yieldSmall(q, ui8(n.b.getContext()));
}

LogicalResult convertMatMulInteger(NodeContext &n) {
  Value a = n.in(0), b = n.in(1), aZero = n.in(2), bZero = n.in(3);
  if (failed(requireSmall(n, 0)) || failed(requireSmall(n, 1)) || (aZero && failed(requireSmall(n, 2))) ||
      (bZero && failed(requireSmall(n, 3))))
    return failure();
  Value lhs = a;
  if (aZero) {
    Shape of = shapeOf(aZero);
    bool fits = countOf(aZero).number() == 1 || (of.size() == 1 && rankOf(a) >= 2 && of[0] == shapeOf(a)[rankOf(a) - 2]);
    if (!fits)
      return n.error() << "a zero point of " << shapeText(of) << " does not fit rows of " << shapeText(shapeOf(a));
    lhs = n.b.sub(a, n.b.reshape(aZero, countOf(aZero).number() == 1 ? Shape{} : Shape{of[0], 1}));
  }
  Value ones = n.b.splat(bZero ? shapeOf(bZero) : Shape{}, n.b.getF32Type(), 1);
  FailureOr<Value> rhs = dequantize(n, b, {ones, bZero, n.smallType(1), -1, 0});
  if (failed(rhs))
    return failure();
  Type i32 = n.b.getI32Type();
  FailureOr<Value> floats = matmul(n, lhs, *rhs), integers = matmul(n, n.b.castTo(lhs, i32), n.b.castTo(*rhs, i32));
  if (failed(floats) || failed(integers))
    return failure();
  n.model.small.products[*integers] = {a, aZero, b, bZero, *floats, n.smallType(1)};
  return n.yield(*integers);
}

} // namespace

SmallIntegers::Rounded heddle::onnx::roundDynamically(NodeContext &n, Value x) {
  Emitter &b = n.b;
  MLIRContext *context = b.getContext();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  Value nothing = b.splat({}, b.getF32Type(), 0);
  Value low = b.minimum(b.reduce(Emitter::Reduction::Min, x, axes, /*keep=*/false), nothing);
  Value high = b.maximum(b.reduce(Emitter::Reduction::Max, x, axes, /*keep=*/false), nothing);
  Value range = b.sub(high, low);
  Value isNothing = b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OEQ, range, nothing);
  Value scale = b.div(range, b.splat({}, b.getF32Type(), 255));
  // If all elements are 0, the scale is 1, as in ONNX Runtime. With ONNX's formula, 0 would be divided by 0.
  scale = b.select(isNothing, b.splat({}, b.getF32Type(), 1), scale);
  Value zero = b.elementwise<math::RoundEvenOp>(b.div(b.sub(nothing, low), scale));
  n.model.small.steps.insert(scale);
  return {x, scale, zero, RowRoundingAttr::get(context, ui8(context), 0, {}, /*per_tensor=*/true, FloatAttr(), 0)};
}

Value heddle::onnx::roundStatically(NodeContext &n, Value x, Value scale, Value zero, IntegerType type) {
  // Converts a tensor with one element to a scalar tensor.
  auto one = [&](Value value) { return value ? n.b.reshape(value, {}) : value; };
  Value q = round(n.b, x, one(scale), one(zero), type);
  remember(n, q, x, scale, zero, type);
  return q;
}

FailureOr<Value> heddle::onnx::integerProduct(NodeContext &n, const IntegerOperand &rows, const IntegerOperand &weight,
                                              Value bias, bool isTransposed) {
  Value a = n.in(rows.input), b = n.in(weight.input);
  if (failed(requireSmall(n, rows.input)) || failed(requireSmall(n, weight.input)))
    return failure();
  if (countOf(rows.scale).number() != 1 || (rows.zero && countOf(rows.zero).number() != 1))
    return n.error() << "a scale or a zero point for each row is not supported, only one for all rows";
  if (rankOf(b) == 0 || (isTransposed && rankOf(b) != 2))
    return n.error() << "expected weights with " << (isTransposed ? "two dimensions" : "at least one dimension")
                     << ", found " << shapeText(shapeOf(b));
  FailureOr<Value> floats =
      dequantize(n, b, {weight.scale, weight.zero, n.smallType(weight.input), isTransposed ? 0 : -1, 0});
  FailureOr<Value> plain = dequantize(n, a, {rows.scale, rows.zero, n.smallType(rows.input), -1, 0});
  if (failed(floats) || failed(plain))
    return failure();
  if (isTransposed)
    floats = isStored(*floats) ? transposeStored(n.b, *floats, {1, 0}) : n.b.transpose(*floats, {1, 0});
  if (bias && (failed(n.requireFloat(bias)) || shapeOf(bias) != Shape{shapeOf(*floats).back()}))
    return n.error() << "a bias of " << typeText(bias) << " does not fit weights of " << shapeText(shapeOf(*floats));
  auto found = n.model.small.integers.find(a);
  if (found != n.model.small.integers.end() && areSame(found->second.scale, rows.scale) &&
      areSame(found->second.zero, rows.zero)) {
    const SmallIntegers::Rounded rounded = found->second;
    if (Value layer = roundedLinear(n, rounded, *floats, bias))
      return layer;
  }
  FailureOr<Value> product = matmul(n, *plain, *floats);
  return failed(product) || !bias ? product : n.b.add(*product, bias);
}

Value heddle::onnx::roundedFloats(Emitter &b, const SmallIntegers::Rounded &rounded) {
  Value q = round(b, rounded.source, rounded.scale, rounded.zero, ui8(b.getContext()));
  return b.mul(b.sub(q, rounded.zero), rounded.scale);
}

Value heddle::onnx::scaledProduct(NodeContext &n, Value product, Value scale) {
  SmallIntegers &small = n.model.small;
  auto waiting = small.products.find(product);
  auto factors = small.scales.find(scale);
  // The shapes are compared last: if the result of the comparison differs between sizes, the model is refused (Dim.h).
  if (waiting == small.products.end() || factors == small.scales.end() ||
      broadcastShapes(shapeOf(product), shapeOf(scale)) != shapeOf(product))
    return {};
  const SmallIntegers::Product parts = waiting->second;
  auto [step, columns] = factors->second;
  auto rounded = small.integers.find(parts.lhs);
  if (rounded == small.integers.end() || rounded->second.scale != step ||
      !areSame(rounded->second.zero, parts.lhsZero) || rankOf(parts.rhs) != 2 || !isStored(columns) ||
      columns.getDefiningOp<DequantizeOp>())
    return {};
  int64_t count = cast<RankedTensorType>(columns.getType()).getNumElements();
  bool isRow = rankOf(columns) > 0 && shapeOf(columns).back() == shapeOf(parts.rhs)[1];
  Value zeros = parts.rhsZero;
  if ((count != 1 && (!isRow || shapeOf(columns).back() != Dim(count))) || (zeros && countOf(zeros) != Dim(count)))
    return {};
  columns = reshapeStored(n.b, columns, zeros ? cast<RankedTensorType>(zeros.getType()).getShape() : ArrayRef(count));
  const SmallIntegers::Rounded input = rounded->second;
  FailureOr<Value> weight = dequantize(n, parts.rhs, {columns, zeros, parts.rhsType, 1, 0});
  return failed(weight) ? Value() : roundedLinear(n, input, *weight);
}

void heddle::onnx::addQuantizationOps(OpTable &table) {
  auto takes = [](auto convert, unsigned minimum, unsigned maximum, int64_t since) {
    return OpEntry{convert, minimum, maximum, since, INT64_MAX, SmallUse::Supported};
  };
  table["QuantizeLinear"] = takes(convertQuantizeLinear, 2, 3, 10);
  table["DequantizeLinear"] = takes(convertDequantizeLinear, 2, 3, 10);
  table["DynamicQuantizeLinear"] = takes(convertDynamicQuantizeLinear, 1, 1, 11);
  table["MatMulInteger"] = takes(convertMatMulInteger, 2, 4, 10);
}
