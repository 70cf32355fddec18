//===- FoldVectorizer.cpp - reductions along the lanes --------------------===//

#include "FoldVectorizer.h"
#include "LaneShuffles.h"

using namespace mlir;
using namespace heddle;

/// Emits the loops. The loop over columns is outermost, so that the operand that depends on the columns stays in the
/// cache during the other loops.
Value FoldVectorizer::emit() {
  b.setInsertionPoint(op);
  plan.extents = *loopExtents(op, &b);
  prefetcher = ReadPrefetcher(b, op, plan.lane);
  Value result = op.getDpsInitOperand(0)->get();
  auto fill = result.getDefiningOp<linalg::FillOp>();
  start = fill && fill->hasOneUse() ? fill.value() : Value();
  if (start)
    result = fill.output();
  Point at(plan.extents.size());
  return b.loop(plan.extents[plan.lane], plan.columns, {result}, [&](OpFoldResult first, int64_t count, Values into) {
    at[plan.lane] = first;
    return overOuter(0, at, count, into);
  }).front();
}

/// Emits the loops over plan.outer from index `i` on, for `count` columns. The last of these loops has steps of
/// plan.rows.
FoldVectorizer::Values FoldVectorizer::overOuter(unsigned i, Point at, int64_t count, Values result) {
  if (i == plan.outer.size())
    return {tile(at, /*rows=*/1, count, result.front())};
  unsigned dim = plan.outer[i];
  bool last = i + 1 == plan.outer.size();
  return b.loop(plan.extents[dim], last ? plan.rows : 1, result, [&](OpFoldResult index, int64_t rows, Values into) {
    at[dim] = index;
    return last ? Values{tile(at, rows, count, into.front())} : overOuter(i + 1, at, count, into);
  });
}

/// Returns the indices into the operand at the point `at` of the iteration space.
FoldVectorizer::Point FoldVectorizer::indices(OpOperand &operand, const Point &at) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(llvm::seq(map.getNumResults()), [&](unsigned i) { return at[map.getDimPosition(i)]; });
}

/// Computes a tile of `rows` rows and `count` columns from at[lane] on.
Value FoldVectorizer::tile(const Point &at, int64_t rows, int64_t count, Value result) {
  bool inOrder = prefetcher.inOrder();
  auto combine = [&](Value low, Value high) { return combined(low, high); };
  Values all = inOrder ? Values() : parts(at, rows, {0, count, count}, /*unrolled=*/false);
  SmallVector<LaneFolder> folders(rows, LaneFolder(b, combine));
  // If the order of reads matters, all vectors of a column are read before the vectors of the next column. A short
  // reduction is unrolled.
  constexpr int64_t maximum = 16;
  bool unrolled = plan.extents[plan.reduced].number() <= maximum * plan.width;
  for (int64_t i = 0; inOrder && i < count; ++i) {
    keepOrder(b);
    for (auto [folder, part] : llvm::zip_equal(folders, parts(at, rows, {i, 1, count}, unrolled)))
      folder.add(part);
  }
  for (int64_t row = 0; row < rows; ++row) {
    Values ofRow;
    for (int64_t i = 0; i < count && !inOrder; ++i)
      ofRow.push_back(all[i * rows + row]);
    Value sum = b.resized(inOrder ? folders[row].finish() : foldLanes(b, ofRow, combine), count);
    Point place = indices(*op.getDpsInitOperand(0), rowAt(at, row));
    Value before = start ? b.broadcast(start, count) : b.read(result, place, count, count);
    result = b.write(combined(sum, before), result, place, count);
  }
  return result;
}

/// Returns a vector of partial results for each row and column, in the order column 0 (row 0, row 1, ..), column 1, and
/// so on.
FoldVectorizer::Values FoldVectorizer::parts(Point at, int64_t rows, Columns columns, bool unrolled) {
  at[plan.reduced] = b.getIndexAttr(0);
  Values results = chunk(at, plan.width, {}, rows, columns);
  auto next = [&](OpFoldResult from, int64_t valid, Values accumulators) {
    at[plan.reduced] = from;
    return chunk(at, valid, accumulators, rows, columns);
  };
  if (!unrolled)
    return b.loop(plan.extents[plan.reduced], plan.width, results, next, /*begin=*/plan.width);
  for (int64_t from = plan.width, all = plan.extents[plan.reduced].number(); from < all; from += plan.width)
    results = next(b.getIndexAttr(from), std::min(plan.width, all - from), results);
  return results;
}

/// Returns the indices for row `row` of the tile at `at`.
FoldVectorizer::Point FoldVectorizer::rowAt(Point at, int64_t row) {
  if (row)
    at[plan.outer.back()] = b.add(at[plan.outer.back()], row);
  return at;
}

/// Adds the next `valid` elements of the reduction to each accumulator and returns the new accumulators, in the order
/// of parts(). Without accumulators, returns the first ones: the terms of these elements, combined with plan.first if
/// it is not null.
FoldVectorizer::Values FoldVectorizer::chunk(const Point &at, int64_t valid, ArrayRef<Value> accumulators,
                                             int64_t rows, Columns columns) {
  ElementSource memory(b);
  // An input that does not depend on the column (or row) is loaded for the first column (or row) only.
  SmallVector<SmallVector<LaneValue>> inputs(rows, SmallVector<LaneValue>(op.getNumDpsInputs()));
  Values results;
  for (int64_t i = 0; i < columns.count; ++i) {
    for (int64_t row = 0; row < rows; ++row) {
      Point position = rowAt(at, row);
      position[plan.lane] = b.add(at[plan.lane], columns.first + i);
      LaneBody body(b, op, {position, static_cast<int>(plan.reduced), plan.width, valid}, memory);
      for (auto [n, input] : llvm::enumerate(op.getDpsInputOperands())) {
        AffineMap map = op.getMatchingIndexingMap(input);
        if (row && !map.isFunctionOfDim(plan.outer.back()))
          inputs[row][n] = inputs[0][n];
        else if (i == 0 || map.isFunctionOfDim(plan.lane))
          inputs[row][n] = load(*input, position, valid, columns.first + i, columns.all);
        body.set(op.getMatchingBlockArgument(input), inputs[row][n]);
      }
      if (accumulators.empty()) {
        body.evaluate(plan.terms);
        Value term = body.asVector(body.get(plan.term));
        if (plan.first)
          term = combined(term, b.broadcast(arith::ConstantOp::create(b, plan.first), plan.width));
        results.push_back(term);
        continue;
      }
      Value accumulator = accumulators[i * rows + row];
      body.set(op.getMatchingBlockArgument(op.getDpsInitOperand(0)), LaneValue::of(accumulator));
      Value next = body.asVector(body.evaluate().front());
      if (valid < plan.width)
        next = arith::SelectOp::create(b, b.mask(plan.width, valid), next, accumulator);
      results.push_back(next);
    }
  }
  return results;
}

/// Loads an input for column `column` of a tile of `columns` columns.
LaneValue FoldVectorizer::load(OpOperand &operand, const Point &at, int64_t valid, int64_t column, int64_t columns) {
  if (!isa<ShapedType>(operand.get().getType()))
    return {LaneValue::Uniform, operand.get()};
  Point place = indices(operand, at);
  if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(plan.reduced)) {
    int64_t count = llvm::divideCeil(plan.extents[plan.reduced].number(), plan.width);
    std::optional<int64_t> from = getConstantIntValue(at[plan.reduced]);
    prefetcher.prefetch(b, operand, place, {from ? *from / plan.width : 1, count, plan.width, column, columns});
    return {LaneValue::Vector, b.read(operand.get(), place, plan.width, valid)};
  }
  return {LaneValue::Uniform, b.element(operand.get(), place)};
}

/// Combines a vector of terms or partial results with the accumulator in the same way as the body of the op.
Value FoldVectorizer::combined(Value x, Value accumulator) {
  int64_t width = cast<VectorType>(x.getType()).getDimSize(0);
  ElementSource memory(b);
  LaneBody body(b, op, {{}, static_cast<int>(plan.reduced), width, width}, memory);
  body.set(plan.term, LaneValue::of(x));
  body.set(op.getMatchingBlockArgument(op.getDpsInitOperand(0)), LaneValue::of(accumulator));
  body.evaluate(plan.combines);
  return body.get(op.getBlock()->getTerminator()->getOperand(0)).value;
}
