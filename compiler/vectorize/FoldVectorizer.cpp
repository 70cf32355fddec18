//===- FoldVectorizer.cpp - reductions along the lanes --------------------===//

#include "FoldVectorizer.h"
#include "LaneShuffles.h"

using namespace mlir;
using namespace heddle;

/// Results side by side outermost: what they read stays in the cache for the other dimensions.
Value FoldVectorizer::emit() {
  b.setInsertionPoint(op);
  plan.extents = *loopExtents(op, &b);
  ahead = ReadsAhead(b, op, plan.lane);
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

FoldVectorizer::Point FoldVectorizer::indices(OpOperand &operand, const Point &at) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(llvm::seq(map.getNumResults()), [&](unsigned i) { return at[map.getDimPosition(i)]; });
}

/// `count` results from at[lane] on, of `rows` rows.
Value FoldVectorizer::tile(const Point &at, int64_t rows, int64_t count, Value result) {
  Point inner = at;
  inner[plan.reduced] = b.getIndexAttr(0);
  Values parts = chunk(inner, plan.width, {}, rows, count);
  auto next = [&](OpFoldResult from, int64_t valid, Values accumulators) {
    inner[plan.reduced] = from;
    return chunk(inner, valid, accumulators, rows, count);
  };
  parts = b.loop(plan.extents[plan.reduced], plan.width, parts, next, /*begin=*/plan.width);
  for (int64_t row = 0; row < rows; ++row) {
    Values ofRow;
    for (int64_t i = 0; i < count; ++i)
      ofRow.push_back(parts[i * rows + row]);
    Value sum = b.resized(folded(ofRow), count);
    Point place = indices(*op.getDpsInitOperand(0), rowAt(at, row));
    Value before = start ? b.broadcast(start, count) : b.read(result, place, count, count);
    result = b.write(combined(sum, before), result, place, count);
  }
  return result;
}

FoldVectorizer::Point FoldVectorizer::rowAt(Point at, int64_t row) {
  if (row)
    at[plan.outer.back()] = b.add(at[plan.outer.back()], row);
  return at;
}

/// The partial results after `valid` more elements, those of a column side by side; the first ones without accumulators.
FoldVectorizer::Values FoldVectorizer::chunk(const Point &at, int64_t valid, ArrayRef<Value> accumulators,
                                           int64_t rows, int64_t count) {
  ElementSource memory(b);
  // What is the same for all columns, or rows, is loaded for the first.
  SmallVector<SmallVector<LaneValue>> inputs(rows, SmallVector<LaneValue>(op.getNumDpsInputs()));
  Values results;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t row = 0; row < rows; ++row) {
      Point position = rowAt(at, row);
      position[plan.lane] = b.add(at[plan.lane], i);
      LaneBody body(b, op, {position, static_cast<int>(plan.reduced), plan.width, valid}, memory);
      for (auto [n, input] : llvm::enumerate(op.getDpsInputOperands())) {
        AffineMap map = op.getMatchingIndexingMap(input);
        if (row && !map.isFunctionOfDim(plan.outer.back()))
          inputs[row][n] = inputs[0][n];
        else if (i == 0 || map.isFunctionOfDim(plan.lane))
          inputs[row][n] = load(*input, position, valid);
        body.set(op.getMatchingBlockArgument(input), inputs[row][n]);
      }
      if (accumulators.empty()) {
        body.evaluate(plan.terms);
        results.push_back(body.asVector(body.get(plan.term)));
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

LaneValue FoldVectorizer::load(OpOperand &operand, const Point &at, int64_t valid) {
  if (!isa<ShapedType>(operand.get().getType()))
    return {LaneValue::Uniform, operand.get()};
  Point place = indices(operand, at);
  if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(plan.reduced)) {
    int64_t count = llvm::divideCeil(plan.extents[plan.reduced].number(), plan.width);
    ahead.ask(b, operand, place, {/*number=*/isZeroInteger(at[plan.reduced]) ? 0 : 1, count, plan.width});
    return {LaneValue::Vector, b.read(operand.get(), place, plan.width, valid)};
  }
  return {LaneValue::Uniform, b.element(operand.get(), place)};
}

Value FoldVectorizer::combined(Value x, Value accumulator) {
  int64_t width = cast<VectorType>(x.getType()).getDimSize(0);
  ElementSource memory(b);
  LaneBody body(b, op, {{}, static_cast<int>(plan.reduced), width, width}, memory);
  body.set(plan.term, LaneValue::of(x));
  body.set(op.getMatchingBlockArgument(op.getDpsInitOperand(0)), LaneValue::of(accumulator));
  body.evaluate(plan.combines);
  return body.get(op.getBlock()->getTerminator()->getOperand(0)).value;
}

/// Lane i of the result is part i folded.
Value FoldVectorizer::folded(Values parts) {
  return foldLanes(b, parts, [&](Value low, Value high) { return combined(low, high); });
}
