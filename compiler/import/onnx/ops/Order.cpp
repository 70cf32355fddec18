//===- Order.cpp - ArgMax, ArgMin and TopK --------------------------------===//

#include "OpTable.h"
#include "SizedOperands.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

using Reduction = Emitter::Reduction;

/// If a dimension has at most `maxCompared` elements, TopK compares each pair of them. From a longer dimension, it
/// selects at most `maxOfLong` elements.
constexpr int64_t maxCompared = 1024, maxOfLong = 256;

/// Broadcasts both operands and compares floats with `floats` and integers with `integers`.
Value compare(Emitter &b, Value x, Value y, arith::CmpFPredicate floats, arith::CmpIPredicate integers) {
  std::tie(x, y) = b.together(x, y);
  return isFloat(x) ? b.elementwise<arith::CmpFOp>(floats, x, y) : b.elementwise<arith::CmpIOp>(integers, x, y);
}

Value isNan(Emitter &b, Value x) { return b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x); }

/// Returns the positions 0, 1, .., `count` - 1 along `axis` in a tensor of this rank; all other extents are 1.
Value positions(Emitter &b, int64_t rank, int64_t axis, const Dim &count) {
  Shape shape(rank, 1);
  shape[axis] = count;
  return positions(b, shape, axis);
}

/// Converts ArgMax and ArgMin: the first (or last) position of the largest or smallest element, or of a NaN if there is
/// a NaN. The result is the minimum (or maximum) of the positions of all elements that are equal to this element.
template <Reduction kind> LogicalResult convertArg(NodeContext &n) {
  Emitter &b = n.b;
  Value x = n.in(0);
  bool keep = n.intAttr("keepdims", 1), last = n.opset >= 12 && n.intAttr("select_last_index", 0);
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), rankOf(x));
  if (failed(axis))
    return failure();
  Dim extent = shapeOf(x)[*axis];
  if (elementOf(x).isInteger(1))
    return n.error() << "ordering bool elements is not supported";
  if (extent == 0)
    return n.error() << "dimension " << *axis << " of " << typeText(x) << " is empty";
  Value extreme = b.reduce(kind, x, *axis, /*keep=*/true);
  Value found = compare(b, x, extreme, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
  if (isFloat(x))
    found = b.elementwise<arith::OrIOp>(found, isNan(b, x));
  Value none = b.integers(Shape(rankOf(x), 1), last ? Dim(-1) : extent);
  Value candidates = b.select(found, positions(b, rankOf(x), *axis, extent), none);
  Value result = b.reduce(last ? Reduction::Max : Reduction::Min, candidates, *axis, keep);
  n.ranges.set(result, 0, extent - 1);
  return n.yield(result);
}

/// Elements along the last dimension, and their positions in the operand of the node. If `indices` is null, these
/// positions are the positions in `values`.
struct Ranked {
  Value values, indices;
};

/// Selects the first `count` elements in sorted order. The rank of an element is the number of elements that precede
/// it: elements that are larger (or smaller, if `largest` is false), and equal elements at earlier positions. NaN
/// counts as the largest element. Since ranks are distinct, a reduction over all elements can select the element with a
/// given rank.
Ranked takeByRank(Emitter &b, const Ranked &all, const Dim &count, bool largest) {
  // Compares [.., i, 1] with [.., 1, j].
  Value x = all.values;
  Dim extent = shapeOf(x).back();
  Shape own(shapeOf(x)), other(shapeOf(x));
  own.push_back(1);
  other.insert(other.end() - 1, 1);
  Value mine = b.reshape(x, own), theirs = b.reshape(x, other);
  Value before = largest ? compare(b, theirs, mine, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt)
                         : compare(b, theirs, mine, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
  Value equal = compare(b, theirs, mine, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
  auto both = [&](Value p, Value q) { return b.binary<arith::AndIOp, arith::AndIOp>(p, q); };
  auto either = [&](Value p, Value q) { return b.binary<arith::OrIOp, arith::OrIOp>(p, q); };
  if (isFloat(x)) {
    Value higher = largest ? theirs : mine, lower = largest ? mine : theirs;
    Value number = b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::ORD, lower, lower);
    before = either(before, both(isNan(b, higher), number));
    equal = either(equal, both(isNan(b, theirs), isNan(b, mine)));
  }
  int64_t rank = own.size();
  Value earlier = compare(b, positions(b, rank, rank - 1, extent), positions(b, rank, rank - 2, extent),
                          arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
  Value counted = b.castTo(either(before, both(equal, earlier)), b.getI64Type());
  Value ranks = b.reduce(Reduction::Sum, counted, rank - 1, /*keep=*/false); // [.., i]

  // A tensor [.., k, i]: whether element i has rank k.
  Value taken = compare(b, b.reshape(ranks, other), positions(b, rank, rank - 2, count), arith::CmpFPredicate::OEQ,
                        arith::CmpIPredicate::eq);
  auto pick = [&](Value values, double neutral, Reduction kind) {
    Value none = b.splat(Shape(rank, 1), elementOf(values), neutral);
    return b.reduce(kind, b.select(taken, values, none), rank - 1, /*keep=*/false);
  };
  Value indices = all.indices ? b.reshape(all.indices, other) : positions(b, rank, rank - 1, extent);
  return {isFloat(x) ? pick(theirs, -INFINITY, Reduction::Max) : pick(theirs, 0, Reduction::Sum),
          pick(indices, 0, Reduction::Sum)};
}

/// Returns a tensor of padding elements that come after all elements in sorted order. The padding is appended, so it
/// also comes after elements of the same value.
Value lastInOrder(Emitter &b, ArrayRef<Dim> shape, Type element, bool largest) {
  auto type = typeOf(shape, element);
  if (isa<FloatType>(element))
    return b.splat(shape, element, largest ? -INFINITY : NAN);
  unsigned width = element.getIntOrFloatBitWidth();
  return b.constant(DenseElementsAttr::get(type, largest ? APInt::getSignedMinValue(width)
                                                         : APInt::getSignedMaxValue(width)));
}

/// Selects the first `count` elements of a dimension of any length in sorted order. While the dimension is too long to
/// compare all elements with each other, divides it into blocks and keeps only the first `count` elements of each
/// block. Equal elements keep their order.
Ranked takeFirst(Emitter &b, Ranked all, const Dim &count, bool largest) {
  while (shapeOf(all.values).back().high() > maxCompared) {
    Shape shape(shapeOf(all.values));
    int64_t block = std::max<int64_t>(128, 2 * *count.number());
    int64_t axis = shape.size() - 1, extent = *shape.back().number(), blocks = llvm::divideCeil(extent, block);
    if (!all.indices)
      all.indices = b.broadcast(positions(b, axis + 1, axis, extent), shape);
    if (shape.back() = blocks * block - extent; shape.back() != 0) {
      Type element = elementOf(all.values);
      all.values = b.concat({all.values, lastInOrder(b, shape, element, largest)}, axis);
      all.indices = b.concat({all.indices, b.splat(shape, b.getI64Type(), 0)}, axis);
    }
    shape.back() = blocks;
    shape.push_back(block);
    all = takeByRank(b, {b.reshape(all.values, shape), b.reshape(all.indices, shape)}, count, largest);
    shape.pop_back();
    shape.back() = blocks * count;
    all = {b.reshape(all.values, shape), b.reshape(all.indices, shape)};
  }
  return takeByRank(b, all, count, largest);
}

LogicalResult convertTopK(NodeContext &n) {
  Emitter &b = n.b;
  Value x = n.in(0);
  bool largest = n.opset < 11 || n.intAttr("largest", 1);
  if (n.opset >= 11)
    n.intAttr("sorted", 1); // with `sorted` 0, any order is allowed, including sorted order
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -1), rankOf(x));
  FailureOr<Dim> count = n.opset < 10 ? FailureOr<Dim>(Dim(n.intAttr("k", 0))) : n.integer(1, "k");
  if (failed(axis) || failed(count))
    return failure();
  Dim extent = shapeOf(x)[*axis];
  if (elementOf(x).isInteger(1))
    return n.error() << "ordering bool elements is not supported";
  if (*count < 0 || *count > extent)
    return n.error() << "cannot take " << count->text() << " of " << extent.text() << " elements";
  bool isLong = extent.high() > maxCompared;
  if (isLong && (!extent.isFixed() || !count->isFixed()))
    return n.error() << "k and the number of elements must be the same for all sizes if there may be more than "
                     << maxCompared << " elements, found " << count->text() << " of " << extent.text();
  if (isLong && *count > maxOfLong)
    return n.error() << "cannot take " << count->text() << " of " << extent.text() << " elements: at most " << maxOfLong
                     << " can be taken if there are more than " << maxCompared;
  Numbers order = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  order.erase(order.begin() + *axis);
  order.push_back(*axis); // this permutation moves the axis to the end
  Ranked first = takeFirst(b, {b.transpose(x, order), Value()}, *count, largest);
  n.ranges.set(first.indices, 0, maximum(extent - 1, 0));
  Numbers back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = to;
  if (n.wants(1))
    (void)n.yield(1, b.transpose(first.indices, back));
  return n.yield(b.transpose(first.values, back));
}

} // namespace

void heddle::onnx::addOrderOps(OpTable &table) {
  table["ArgMax"] = {convertArg<Reduction::Max>};
  table["ArgMin"] = {convertArg<Reduction::Min>};
  table["TopK"] = {convertTopK, 1, 2};
}
