//===- CumSum.cpp - the ONNX operator CumSum ------------------------------===//

#include "OpTable.h"
#include "SizedOperands.h"

#include "sizes/FloatsOfSizes.h"
#include "sizes/ReduceSizes.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Which elements the sum at a position includes: an `exclusive` sum excludes the element at the position itself, and a
/// `reverse` sum includes the elements after the position instead of the elements before it.
struct Order {
  bool exclusive, reverse;
};

/// Emits a matrix whose element [j, i] is 1 if the sum at position i includes position j, else 0. The element type of
/// the matrix is i64 if the extent is fixed, and `element`, an integer type, otherwise.
Value takes(Emitter &b, const Dim &extent, Order order, Type element) {
  if (std::optional<int64_t> count = extent.number()) {
    Numbers elements;
    for (int64_t j = 0; j < *count; ++j)
      for (int64_t i = 0; i < *count; ++i)
        elements.push_back(i == j ? !order.exclusive : (j < i) != order.reverse);
    return b.integers({extent, extent}, elements);
  }
  SizeExpression from = SizeExpression::place(0), to = SizeExpression::place(1);
  if (order.reverse)
    std::swap(from, to);
  SizeExpression taken =
      order.exclusive ? SizeExpression::less(from, to) : SizeExpression(1) - SizeExpression::less(to, from);
  return SizedTensor::ofFormula({extent, extent}, cast<IntegerType>(element), taken).emit(b);
}

/// Emits the sums along the last dimension by comparing all pairs of positions. For integers, the sums are a product
/// with a triangular matrix of ones. For floats, such a product would turn an infinity into NaN; instead, each sum adds
/// all elements, after the excluded elements were replaced by zeros.
Value sumsOfBlock(Emitter &b, Value x, Order order) {
  Shape shape(shapeOf(x));
  Dim extent = shape.back(), rows = extent.number() == 0 ? Dim(0) : product(ArrayRef(shape).drop_back());
  Value taken = takes(b, extent, order, isFloat(x) ? Type(b.getI1Type()) : elementOf(x));
  if (!isFloat(x))
    return b.reshape(b.matmul(b.reshape(x, {rows, extent}), b.castTo(taken, elementOf(x))), shape);
  Value elements = b.reshape(x, {rows, extent, 1});
  taken = b.reshape(b.castTo(taken, b.getI1Type()), {1, extent, extent});
  Value chosen = b.select(taken, elements, b.splat({}, elementOf(x), 0));
  return b.reshape(b.reduce(Emitter::Reduction::Sum, chosen, 1, /*keep=*/false), shape);
}

/// Emits the sums along the last dimension. In a long dimension, each sum is the sum within the block of its position,
/// plus the sum of all earlier blocks (later blocks if `reverse`).
Value sumsOf(Emitter &b, Value x, Order order) {
  // Up to `maxAtOnce` elements are one block; more elements are divided into blocks of `block` elements.
  constexpr int64_t maxAtOnce = 1024, block = 256;
  Shape shape(shapeOf(x));
  int64_t axis = shape.size() - 1;
  Dim extent = shape.back();
  if (extent.high() <= maxAtOnce)
    return sumsOfBlock(b, x, order);
  Dim blocks = ceilDiv(extent, block);
  Shape blocked(shape), missing(shape);
  if (missing.back() = blocks * block - extent; missing.back().number() != 0)
    x = b.concat({x, b.splat(missing, elementOf(x), 0)}, axis);
  blocked.back() = blocks;
  Shape totals(blocked);
  blocked.push_back(block);
  x = b.reshape(x, blocked);
  Value each = b.reduce(Emitter::Reduction::Sum, x, axis + 1, /*keep=*/false);
  Value before = sumsOf(b, each, {/*exclusive=*/true, order.reverse});
  totals.push_back(1);
  Value sums = b.add(b.reshape(before, totals), sumsOfBlock(b, x, order));
  blocked.pop_back();
  blocked.back() = blocks * block;
  return b.slice(b.reshape(sums, blocked), axis, 0, extent);
}

/// Returns the sums of integers that are known at import.
Value sumsOfKnown(Emitter &b, Value x, ArrayRef<int64_t> values, int64_t axis, Order order) {
  auto type = cast<RankedTensorType>(x.getType());
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> sums(values.size(), APInt(width, 0));
  int64_t count = type.getDimSize(axis), stride = stridesOf(type.getShape())[axis];
  for (int64_t i = 0; i < int64_t(values.size()); ++i) {
    int64_t place = i / stride % count, other = order.reverse ? place + 1 : place - 1;
    int64_t step = order.reverse ? 1 : -1, end = order.reverse ? count : -1;
    for (int64_t from = order.exclusive ? other : place; from != end; from += step)
      sums[i] += APInt(width, uint64_t(values[i + (from - place) * stride]), true, true);
  }
  return b.constant(DenseElementsAttr::get(type, sums));
}

LogicalResult convertCumSum(NodeContext &n) {
  Value x = n.in(0);
  Order order{n.intAttr("exclusive", 0) != 0, n.intAttr("reverse", 0) != 0};
  FailureOr<int64_t> given = n.number(1, "the axis");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis = n.axis(*given, rankOf(x));
  if (failed(axis))
    return failure();
  if (elementOf(x).isInteger(1))
    return n.error() << "sums of bool elements are not supported";
  if (std::optional<SizedTensor> sized = SizedTensor::of(x))
    if (auto sums = sumUpSizes(*sized, *axis, order.exclusive, order.reverse))
      return n.yield(sums->emit(n.b));
  if (isFloat(x))
    if (auto sums = sumUpFloats(x, *axis, order.exclusive, order.reverse))
      return n.yield(n.b.castTo(sums->emit(n.b), elementOf(x)));
  int64_t maximum = shapeOf(x)[*axis].high();
  constexpr int64_t maxKnown = 1 << 20; // the maximum number of additions at import
  if (std::optional<Numbers> known = Emitter::integersOf(x); known && int64_t(known->size()) * maximum <= maxKnown)
    return n.yield(sumsOfKnown(n.b, x, *known, *axis, order));
  Numbers permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  permutation.erase(permutation.begin() + *axis);
  permutation.push_back(*axis); // this permutation moves the axis to the end
  Numbers back(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    back[from] = to;
  Value result = n.b.transpose(sumsOf(n.b, n.b.transpose(x, permutation), order), back);
  // Each sum has at most `maximum` terms.
  if (std::optional<Interval> range = n.ranges.of(x)) {
    std::optional<int64_t> low = llvm::checkedMul(std::min<int64_t>(range->low, 0), maximum);
    std::optional<int64_t> high = llvm::checkedMul(std::max<int64_t>(range->high, 0), maximum);
    if (low && high)
      n.ranges.set(result, {*low, *high});
  }
  return n.yield(result);
}

} // namespace

void heddle::onnx::addCumSumOps(OpTable &table) { table["CumSum"] = {convertCumSum, 2, 2, 11}; }
