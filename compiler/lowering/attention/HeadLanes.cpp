//===- HeadLanes.cpp - attention with heads in lanes ----------------------===//
//
// Elements [H][D] of a query, key or value are transposed to [D][H], one row at
// a time, which takes a few shuffles if heads are narrow. All keys are one
// block, and attention probabilities stay in registers.
//
//===----------------------------------------------------------------------===//

#include "HeadLanes.h"
#include "AttentionScore.h"
#include "Emit.h"
#include "Notes.h"
#include "TileBuilder.h"
#include "vectorize/LaneShuffles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

namespace {
/// Expands one attention op that lowerAttentionHeads has annotated.
class HeadEmitter {
public:
  HeadEmitter(RewriterBase &rewriter, AttentionOp op, int64_t lanes)
      : lanes(lanes), b(op.getLoc(), rewriter), rewriter(rewriter), op(op), sizes(op.getSizes()),
        element(cast<RankedTensorType>(op.getQuery().getType()).getElementType()),
        slot(llvm::PowerOf2Ceil(sizes.queryHeads)), vector(VectorType::get({lanes}, element)) {}
  void emit();

private:
  using Values = SmallVector<Value>;
  struct Sums {
    Values sum;    // the sums of exponentials: one vector for each vector of queries
    Values output; // the sums of weighted values: one vector for each vector of queries and each element of a head
  };

  Value rows(Value operand);
  Value read(Value from, ValueRange at, int64_t width);
  Values readRow(Value from, ValueRange at, int64_t count);
  Value writeRow(ValueRange pieces, Value into, ValueRange at, int64_t count);
  Value transposed(Value from, int64_t width);
  Value step(Value first, int64_t count, Value into);
  Values loadQueries(Value first, int64_t count);
  Value headsOf(Value from, Value key, int64_t at);
  Sums weigh(Value scores, ValueRange shifts, bool checked);
  Value isNotFinite(ValueRange values);
  Value constant(double value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, ArrayRef<Attribute>(b.getFloatAttr(element, value))));
  }
  Value loop(int64_t end, int64_t by, Values &carried, function_ref<void(Value at, Values &carried)> body);

  int64_t lanes;
  TileBuilder b;
  RewriterBase &rewriter;
  AttentionOp op;
  AttentionOp::Extents sizes;
  Type element;
  int64_t slot; // the number of lanes of a query: the number of heads, rounded up to a power of two
  VectorType vector;  // `lanes` elements
  Value queryRows;    // [S][H x D]
  Value keys, values; // [S][D x slot]
};
} // namespace

/// Emits a loop over [0, end) in steps of `by`, replaces `carried` by its results, and returns the first of them. LLVM
/// must not unroll the loop: LLVM would then hoist the loads of all keys out of the loop over queries and run out of
/// registers. The code would take 1.02 to 1.3 times as long (Zen4, 12 keys).
Value HeadEmitter::loop(int64_t end, int64_t by, Values &carried, function_ref<void(Value at, Values &carried)> body) {
  auto loop = scf::ForOp::create(b, b.index(0), b.index(end), b.index(by), carried);
  loop->setAttr("loop_annotation", keepRolled(b.getContext()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values inside(loop.getRegionIterArgs());
  body(loop.getInductionVar(), inside);
  scf::YieldOp::create(b, inside);
  carried.assign(loop.getResults().begin(), loop.getResults().end());
  return loop.getResult(0);
}

/// Returns an operand [1][S][H][D] as rows [S][H x D].
Value HeadEmitter::rows(Value operand) {
  return tensor::CollapseShapeOp::create(b, operand, ArrayRef<ReassociationIndices>{{0, 1}, {2, 3}});
}

/// Reads a vector of `width` elements of `from` at the indices `at`.
Value HeadEmitter::read(Value from, ValueRange at, int64_t width) {
  bool inBounds[] = {true};
  return vector::TransferReadOp::create(b, VectorType::get({width}, element), from, at, /*padding=*/std::nullopt,
                                        ArrayRef<bool>(inBounds));
}

/// Reads the first `count` elements of a row as vectors of `lanes` elements, the last of which may be partly poison.
HeadEmitter::Values HeadEmitter::readRow(Value from, ValueRange at, int64_t count) {
  Values pieces;
  for (int64_t first = 0; first < count; first += lanes) {
    int64_t width = std::min(lanes, count - first);
    Values place(at);
    place.push_back(b.index(first));
    Value piece = read(from, place, width);
    if (width < lanes) {
      SmallVector<int64_t> wide(lanes, vector::ShuffleOp::kPoisonIndex);
      std::iota(wide.begin(), wide.begin() + width, 0);
      piece = vector::ShuffleOp::create(b, piece, piece, wide);
    }
    pieces.push_back(piece);
  }
  return pieces;
}

/// Writes the first `count` elements of a row of `into`, from the vectors `pieces` of `lanes` elements each.
Value HeadEmitter::writeRow(ValueRange pieces, Value into, ValueRange at, int64_t count) {
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    int64_t first = i * lanes, width = std::min(lanes, count - first);
    if (width < lanes)
      piece = vector::ExtractStridedSliceOp::create(b, piece, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{width},
                                                    ArrayRef<int64_t>{1});
    Values place(at);
    place.push_back(b.index(first));
    bool inBounds[] = {true};
    into = vector::TransferWriteOp::create(b, piece, into, place, ArrayRef<bool>(inBounds)).getResult();
  }
  return into;
}

/// Returns all keys or values, with `width` elements per head, as [S][width x slot]. Lanes without a head repeat the
/// last head.
Value HeadEmitter::transposed(Value from, int64_t width) {
  SmallVector<LanePlace> wanted;
  for (int64_t i = 0; i < width * slot; ++i) {
    int64_t at = std::min(i % slot, sizes.queryHeads - 1) * width + i / slot;
    wanted.push_back({at / lanes, at % lanes});
  }
  Values scratch = {b.empty({sizes.keys, width * slot}, element)};
  return loop(sizes.keys, 1, scratch, [&](Value key, Values &carried) {
    Values row = readRow(from, key, width * sizes.queryHeads);
    carried[0] = writeRow(gatherLanes(b, row, wanted), carried[0], key, width * slot);
  });
}

/// Returns the elements [D] of `count` queries from `first` on, times the scale and log2(e), as vectors over queries
/// and heads. Lanes without a query repeat the last query.
HeadEmitter::Values HeadEmitter::loadQueries(Value first, int64_t count) {
  int64_t width = sizes.headSize * sizes.queryHeads, pieces = llvm::divideCeil(width, lanes);
  Values sources;
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(sources, readRow(queryRows, b.add(first, b.index(i)), width));
  SmallVector<LanePlace> wanted;
  for (int64_t i = 0; i < sizes.headSize * lanes; ++i) {
    int64_t query = std::min(i % lanes / slot, count - 1), head = std::min(i % slot, sizes.queryHeads - 1);
    int64_t at = head * sizes.headSize + i / lanes;
    wanted.push_back({query * pieces + at / lanes, at % lanes});
  }
  Values vectors = gatherLanes(b, sources, wanted);
  Value scale = constant(op.getScaleValue() * llvm::numbers::log2e);
  for (Value &part : vectors)
    part = arith::MulFOp::create(b, part, scale);
  return vectors;
}

/// Returns element `at` of a key or value for all heads, repeated for each query in a vector.
Value HeadEmitter::headsOf(Value from, Value key, int64_t at) {
  Value heads = read(from, {key, b.index(at * slot)}, slot);
  if (slot == lanes)
    return heads;
  SmallVector<int64_t> repeated = llvm::map_to_vector(llvm::seq(lanes), [&](int64_t i) { return i % slot; });
  return vector::ShuffleOp::create(b, heads, heads, repeated);
}

/// Returns the sums over all keys of the exponentials of scores, and of values multiplied by these exponentials.
/// `shifts` contains, for each vector of queries, the numbers to subtract from scores. With `checked`, a key whose
/// score is -inf adds nothing, even if its value is not finite.
HeadEmitter::Sums HeadEmitter::weigh(Value scores, ValueRange shifts, bool checked) {
  int64_t vectors = shifts.size();
  Values carried(vectors * (1 + sizes.valueSize), constant(0.0));
  loop(sizes.keys, 1, carried, [&](Value key, Values &sums) {
    Values weights, gone;
    for (int64_t i = 0; i < vectors; ++i) {
      Value score = read(scores, {key, b.index(i * lanes)}, lanes);
      if (checked)
        gone.push_back(arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, score, constant(-INFINITY)));
      weights.push_back(Exp2NonPositiveOp::create(b, arith::SubFOp::create(b, score, shifts[i])));
    }
    auto add = [&](Value &sum, int64_t i, Value more) {
      sum = checked ? arith::SelectOp::create(b, gone[i], sum, more) : more;
    };
    for (int64_t i = 0; i < vectors; ++i)
      add(sums[i], i, arith::AddFOp::create(b, sums[i], weights[i]));
    for (int64_t d = 0; d < sizes.valueSize; ++d) {
      Value value = headsOf(values, key, d);
      for (int64_t i = 0; i < vectors; ++i) {
        Value &sum = sums[vectors + i * sizes.valueSize + d];
        add(sum, i, vector::FMAOp::create(b, value, weights[i], sum));
      }
    }
  });
  return {Values(ArrayRef(carried).take_front(vectors)), Values(ArrayRef(carried).drop_front(vectors))};
}

/// Returns whether the sum of the given vectors has an element that is infinite or NaN, as is always the case if one of
/// the vectors has such an element. A sum of finite values may overflow, too; the result is then computed again
/// although this would not be necessary.
Value HeadEmitter::isNotFinite(ValueRange all) {
  Values sums(all);
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2; ++i)
      sums[i] = arith::AddFOp::create(b, sums[i], sums[count - 1 - i]);
  Value magnitude = math::AbsFOp::create(b, sums.front());
  Value bad = arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, magnitude, constant(INFINITY));
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, bad);
}

/// Computes the results of `count` queries from `first` on, writes them to the rows of `into` with the indices of these
/// queries, and returns the written tensor.
Value HeadEmitter::step(Value first, int64_t count, Value into) {
  int64_t perVector = lanes / slot, vectors = llvm::divideCeil(count, perVector);
  SmallVector<Values> query;
  for (int64_t i = 0; i < count; i += perVector)
    query.push_back(loadQueries(b.add(first, b.index(i)), std::min(perVector, count - i)));

  Values carried(vectors, constant(-INFINITY));
  carried.push_back(b.empty({sizes.keys, vectors * lanes}, element));
  loop(sizes.keys, 1, carried, [&](Value key, Values &inside) {
    Values scores(vectors);
    for (int64_t d = 0; d < sizes.headSize; ++d) {
      Value heads = headsOf(keys, key, d);
      for (int64_t i = 0; i < vectors; ++i)
        scores[i] = vector::FMAOp::create(b, heads, query[i][d], d ? scores[i] : constant(0.0));
    }
    // As in OnlineSoftmax.cpp, the maximum may ignore a NaN.
    for (int64_t i = 0; i < vectors; ++i) {
      Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, scores[i], inside[i]);
      inside[i] = arith::SelectOp::create(b, above, scores[i], inside[i]);
    }
    inside[vectors] = writeRow(scores, inside[vectors], key, vectors * lanes);
  });
  Value scores = carried.pop_back_val(), zero = constant(0.0);
  for (Value &shift : carried) {
    Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, shift, constant(-INFINITY));
    shift = arith::SelectOp::create(b, none, zero, shift);
  }

  Sums sums = weigh(scores, carried, /*checked=*/false);
  Values all = sums.sum;
  llvm::append_range(all, sums.output);
  auto again = scf::IfOp::create(b, ValueRange(all).getTypes(), isNotFinite(sums.output), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(again.thenBlock());
    Sums checked = weigh(scores, carried, /*checked=*/true);
    llvm::append_range(checked.sum, checked.output);
    scf::YieldOp::create(b, checked.sum);
    b.setInsertionPointToStart(again.elseBlock());
    scf::YieldOp::create(b, all);
  }

  SmallVector<LanePlace> wanted;
  int64_t width = sizes.valueSize * sizes.queryHeads;
  for (int64_t i = 0; i < vectors; ++i) {
    Value sum = again.getResult(i), inverse = arith::DivFOp::create(b, constant(1.0), sum), none;
    if (auto yieldsZeros = sumOfZeros(op.getEmptyRow()))
      none = arith::CmpFOp::create(b, *yieldsZeros, sum, zero);
    Values output(again.getResults().slice(vectors + i * sizes.valueSize, sizes.valueSize));
    for (Value &part : output) {
      part = arith::MulFOp::create(b, part, inverse);
      if (none)
        part = arith::SelectOp::create(b, none, zero, part);
    }
    for (int64_t query = 0; query < std::min(perVector, count - i * perVector); ++query) {
      wanted.clear();
      for (int64_t at = 0; at < width; ++at)
        wanted.push_back({at % sizes.valueSize, query * slot + at / sizes.valueSize});
      into = writeRow(gatherLanes(b, output, wanted), into, b.add(first, b.index(i * perVector + query)), width);
    }
  }
  return into;
}

void HeadEmitter::emit() {
  b.setInsertionPoint(op);
  rewriter.setInsertionPoint(op);
  queryRows = rows(op.getQuery());
  keys = transposed(rows(op.getKey()), sizes.headSize);
  values = transposed(rows(op.getValue()), sizes.valueSize);
  int64_t maximum = vectorsTogether * (lanes / slot), whole = sizes.queries / maximum * maximum;
  int64_t width = sizes.queryHeads * sizes.valueSize;
  Values carried = {emitDestination(rewriter, op.getResult(), RankedTensorType::get({sizes.queries, width}, element))};
  if (whole)
    loop(whole, maximum, carried, [&](Value at, Values &inside) { inside[0] = step(at, maximum, inside[0]); });
  if (whole < sizes.queries)
    carried[0] = step(b.index(whole), sizes.queries - whole, carried[0]);
  auto shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  rewriter.replaceOp(op, emitReshape(b, b.getLoc(), carried[0], shape));
}

void heddle::expandHeadLanes(RewriterBase &rewriter, Operation *root) {
  SmallVector<AttentionOp> ops;
  root->walk([&](AttentionOp op) { ops.push_back(op); });
  for (AttentionOp op : ops)
    if (std::optional<int64_t> lanes = notes::headLanes.get(op))
      HeadEmitter(rewriter, op, *lanes).emit();
}
