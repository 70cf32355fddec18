//===- Constant.cpp - Constant, ConstantOfShape, Range, Shape, Size -------===//

#include "OpTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

LogicalResult convertConstant(NodeContext &n) {
  if (n.node.attributes.size() != 1)
    return n.error() << "expected one attribute with the value, found " << n.node.attributes.size() << " attributes";
  const auto &[name, attribute] = *n.node.attributes.begin();
  using Kind = NodeAttribute::Kind;
  auto numbers = [&](ArrayRef<int64_t> shape, ArrayRef<double> values) {
    SmallVector<float> floats(values.begin(), values.end());
    return n.b.constant(DenseElementsAttr::get(RankedTensorType::get(shape, n.b.getF32Type()), ArrayRef(floats)));
  };
  if (name == "value") {
    if (!n.attr(name, Kind::Tensor))
      return failure();
    TensorData tensor = attribute.tensor;
    tensor.name = n.node.outputs.empty() ? n.node.name : n.node.outputs.front();
    FailureOr<Value> value = n.model.store(tensor);
    return failed(value) ? failure() : n.yieldSmall(*value, tensor.small);
  }
  if (name == "value_int" && n.attr(name, Kind::Int))
    return n.yield(n.b.integers({}, Shape{attribute.i}));
  if (name == "value_float" && n.attr(name, Kind::Float))
    return n.yield(numbers({}, attribute.f));
  if (name == "value_ints" && n.attr(name, Kind::Ints))
    return n.yield(n.b.integers(Shape{int64_t(attribute.ints.size())}, ArrayRef<int64_t>(attribute.ints)));
  if (name == "value_floats" && n.attr(name, Kind::Floats))
    return n.yield(numbers(static_cast<int64_t>(attribute.floats.size()), attribute.floats));
  return n.error() << "a value in attribute '" << name << "' is not supported";
}

LogicalResult convertConstantOfShape(NodeContext &n) {
  FailureOr<Shape> shape = n.integers(0, "the shape");
  if (failed(shape) || failed(n.checkShape(*shape)))
    return failure();
  if (!n.has("value"))
    return n.yield(n.b.splat(*shape, n.b.getF32Type(), 0));
  const NodeAttribute *value = n.attr("value", NodeAttribute::Kind::Tensor);
  if (!value)
    return failure();
  if (value->tensor.type.getNumElements() != 1)
    return n.error() << "attribute 'value' must contain one element, found "
                     << value->tensor.type.getNumElements();
  if (value->tensor.small)
    return n.error() << "an attribute 'value' with integers of 4 or 8 bits is not supported";
  DenseElementsAttr element = fromBytes(value->tensor.type, value->tensor.bytes);
  RankedTensorType type = typeOf(*shape, value->tensor.type.getElementType());
  if (isEmpty(*shape))
    return n.yield(n.b.constant(fromBytes(type, {})));
  return n.yield(n.b.constant(element.resizeSplat(type)));
}

/// Returns the number of elements of a Range from start to limit. Returns nothing if the number cannot be computed, for
/// example because `delta` is 0, or if it is more than `foldLimit`, the maximum number of elements of a constant that
/// the importer computes.
std::optional<int64_t> countRange(double start, double limit, double delta) {
  if (delta == 0)
    return std::nullopt;
  double count = std::max(std::ceil((limit - start) / delta), 0.0);
  // For NaN and infinity, the comparison is false.
  return count <= foldLimit ? std::optional<int64_t>(count) : std::nullopt;
}
std::optional<int64_t> countRange(int64_t start, int64_t limit, int64_t delta) {
  int64_t span, step = delta;
  if (delta == 0 || delta == INT64_MIN || llvm::SubOverflow(limit, start, span) || span == INT64_MIN)
    return std::nullopt;
  if (delta < 0)
    span = -span, step = -step;
  int64_t count = span <= 0 ? 0 : (span - 1) / step + 1;
  return count <= foldLimit ? std::optional<int64_t>(count) : std::nullopt;
}

/// Yields a Range that depends on sizes: each element is a function of its position.
LogicalResult yieldSizedRange(NodeContext &n, const Dim &start, const Dim &limit, const Dim &delta) {
  auto element = cast<IntegerType>(elementOf(n.in(0)));
  std::optional<int64_t> step = delta.number();
  if (!step || *step == 0 || *step == INT64_MIN)
    return n.error() << "delta must be the same for all sizes, and not 0, found " << delta.text();
  Dim count = maximum(*step > 0 ? ceilDiv(limit - start, *step) : ceilDiv(start - limit, -*step), 0);
  if (failed(n.checkShape({count})))
    return failure();
  heddle::SizeExpression formula = start.asExpression() + heddle::SizeExpression::place(0) * *step;
  return n.yield(heddle::SizedTensor::ofFormula({count}, element, formula).emit(n.b));
}

/// Converts Range: start, start + delta, .. up to but not including limit.
LogicalResult convertRange(NodeContext &n) {
  if (failed(n.requireSameElements(n.operands())))
    return failure();
  Type element = elementOf(n.in(0));
  SmallVector<double> floats;
  Shape given;
  for (size_t i = 0; i < 3; ++i) {
    if (isFloat(n.in(i))) {
      std::optional<double> value = Emitter::splatOf(n.in(i));
      if (!value)
        return n.error() << "start, limit and delta must be known at import";
      floats.push_back(*value);
      continue;
    }
    FailureOr<Dim> value = n.integer(i, i == 0 ? "start" : i == 1 ? "limit" : "delta");
    if (failed(value))
      return failure();
    given.push_back(*value);
  }
  std::optional<Numbers> known = fixedNumbers(given);
  if (!known)
    return yieldSizedRange(n, given[0], given[1], given[2]);
  const Numbers &integers = *known;
  std::optional<int64_t> counted =
      floats.empty() ? countRange(integers[0], integers[1], integers[2]) : countRange(floats[0], floats[1], floats[2]);
  if (!counted)
    return n.error() << "delta is zero, or the number of elements is too large or not finite";
  int64_t count = *counted;
  auto type = RankedTensorType::get({count}, element);
  if (!floats.empty()) {
    SmallVector<APFloat> values;
    for (int64_t i = 0; i < count; ++i) {
      APFloat value(floats[0] + i * floats[2]);
      bool lossy;
      value.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      values.push_back(value);
    }
    return n.yield(n.b.constant(DenseElementsAttr::get(type, values)));
  }
  SmallVector<APInt> values;
  for (int64_t i = 0; i < count; ++i) // this does not overflow, because every element is before the limit
    values.push_back(APInt(element.getIntOrFloatBitWidth(),
                           static_cast<uint64_t>(integers[0]) + i * static_cast<uint64_t>(integers[2]), true, true));
  return n.yield(n.b.constant(DenseElementsAttr::get(type, values)));
}

/// Yields the shape of the operand. From opset 15 on, the attributes `start` and `end`, clamped to the rank, select
/// some of the dimensions.
LogicalResult convertShape(NodeContext &n) {
  Shape shape = shapeOf(n.in(0));
  int64_t rank = shape.size();
  auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  int64_t start = clamp(n.intAttr("start", 0)), end = clamp(n.intAttr("end", rank));
  Shape part(start < end ? ArrayRef(shape).slice(start, end - start) : ArrayRef<Dim>());
  return n.yield(n.b.integers(Shape{int64_t(part.size())}, part));
}

LogicalResult convertSize(NodeContext &n) { return n.yield(n.b.integers({}, Shape{countOf(n.in(0))})); }

} // namespace

void heddle::onnx::addConstantOps(OpTable &table) {
  table["Constant"] = {convertConstant, 0, 0};
  table["ConstantOfShape"] = {convertConstantOfShape, 1, 1, 9};
  table["Range"] = {convertRange, 3, 3, 11};
  table["Shape"] = {convertShape};
  table["Size"] = {convertSize};
}
