//===- AttentionHeads.cpp - attention of narrow heads, in lanes ------------===//
//
// Heads that lie side by side in a row are as good a vector as queries are: a lane is a query of a head, and as
// many queries as fit beside each other share a vector. Then no lane is padding that queries leave unused, and a
// key or value is a vector for all heads. For this elements [H][D] are turned into [D][H], a row at a time, which
// is a few shuffles where heads are narrow. All keys are one block; the weights stay in registers.
//
// In stage tile this is heddle.attention still, a task at a time; the vectors come with all others.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Emit.h"
#include "Notes.h"
#include "Sizes.h"
#include "vectorize/LaneShuffles.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace heddle;

namespace {
/// Two vectors of queries share what is loaded of keys, and hide each other's latencies.
constexpr int64_t together = 2;

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
    Values sum;    // of each vector
    Values output; // of each vector its elements
  };

  Value rows(Value operand);
  Value read(Value from, ValueRange at, int64_t width);
  Values readRow(Value from, ValueRange at, int64_t count);
  Value writeRow(ValueRange pieces, Value into, ValueRange at, int64_t count);
  Value turned(Value from, int64_t width);
  Value step(Value first, int64_t count, Value into);
  Values loadQueries(Value first, int64_t count);
  Value headsOf(Value from, Value key, int64_t at);
  Sums weigh(Value scores, ValueRange shifts, bool checked);
  Value isNotFinite(ValueRange values);
  Value constant(double value) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, ArrayRef<Attribute>(b.getFloatAttr(element, value))));
  }
  Value loop(int64_t end, int64_t by, Values &carried, function_ref<void(Value at, Values &carried)> body);

  int64_t lanes;
  TileBuilder b;
  RewriterBase &rewriter;
  AttentionOp op;
  AttentionOp::Sizes sizes;
  Type element;
  int64_t slot; // lanes of one query
  VectorType vector;
  Value queryRows;    // [S][H x D]
  Value keys, values; // [S][D x slot]
};
} // namespace

/// A loop over [0, end) in steps; the first of its results. LLVM is not to unroll it: it would hoist what it loads of
/// all keys out of the loop over queries and run out of registers (Zen4, 12 keys: 1.02 to 1.3 times as long).
Value HeadEmitter::loop(int64_t end, int64_t by, Values &carried,
                        function_ref<void(Value at, Values &carried)> body) {
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

Value HeadEmitter::rows(Value operand) {
  return tensor::CollapseShapeOp::create(b, operand, ArrayRef<ReassociationIndices>{{0, 1}, {2, 3}});
}

Value HeadEmitter::read(Value from, ValueRange at, int64_t width) {
  bool inBounds[] = {true};
  return vector::TransferReadOp::create(b, VectorType::get({width}, element), from, at, /*padding=*/std::nullopt,
                                        ArrayRef<bool>(inBounds));
}

/// The first `count` elements of a row, in whole vectors.
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

/// All keys or values as [S][width x slot]; lanes without a head repeat the last one.
Value HeadEmitter::turned(Value from, int64_t width) {
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

/// The elements [D] of `count` queries from `first` on, times the scale: a vector of as many as fit. What is missing
/// repeats the last one.
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

/// One element of a key's or value's heads, for each query in a vector.
Value HeadEmitter::headsOf(Value from, Value key, int64_t at) {
  Value heads = read(from, {key, b.index(at * slot)}, slot);
  if (slot == lanes)
    return heads;
  SmallVector<int64_t> repeated = llvm::map_to_vector(llvm::seq(lanes), [&](int64_t i) { return i % slot; });
  return vector::ShuffleOp::create(b, heads, heads, repeated);
}

/// Weights of all keys, their sum, and values by them. Where checked, a key whose score is -inf adds nothing, not even
/// where its value is not finite.
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

/// Whether one of the values is infinite or NaN: then their sum is, too (and it may be where none of them is).
Value HeadEmitter::isNotFinite(ValueRange all) {
  Values sums(all);
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2; ++i)
      sums[i] = arith::AddFOp::create(b, sums[i], sums[count - 1 - i]);
  Value magnitude = math::AbsFOp::create(b, sums.front());
  Value bad = arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, magnitude, constant(INFINITY));
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, bad);
}

/// `count` queries from `first` on, into the same rows of `into`.
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
    // As everywhere in attention: a NaN need not reach the maximum.
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
  keys = turned(rows(op.getKey()), sizes.headSize);
  values = turned(rows(op.getValue()), sizes.valueSize);
  int64_t most = together * (lanes / slot), whole = sizes.queries / most * most;
  int64_t width = sizes.queryHeads * sizes.valueSize;
  Values carried = {emitDestination(rewriter, op.getResult(), RankedTensorType::get({sizes.queries, width}, element))};
  if (whole)
    loop(whole, most, carried, [&](Value at, Values &inside) { inside[0] = step(at, most, inside[0]); });
  if (whole < sizes.queries)
    carried[0] = step(b.index(whole), sizes.queries - whole, carried[0]);
  auto shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  rewriter.replaceOp(op, emitReshape(b, b.getLoc(), carried[0], shape));
}

std::string heddle::refusesHeadLanes(AttentionOp op, int64_t lanes) {
  AttentionOp::Sizes sizes = op.getSizes();
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults()))) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape() || !type.getElementType().isF32())
      return llvm::formatv("is for static shapes of f32, found {0}", type);
  }
  if (op.getBias() || op.getMask() || op.getKeyLengths() || op.getCausal() != Causal::None || op.getWindow() ||
      op.getSoftcap() || op.hasScore() || storesWeights(op) || op.getSoftmaxPrecision() == SoftmaxPrecision::F64)
    return "is for attention that masks nothing and leaves scores as they are, in f32";
  if (op.getQueryLayout() != Layout::Bshd || op.getKeyLayout() != Layout::Bshd ||
      op.getValueLayout() != Layout::Bshd || op.getResultLayout() != Layout::Bshd)
    return "is for heads side by side, in layout bshd";
  Sizes ranges(op);
  if (!ranges.of(sizes.queries).isFixed() || !ranges.of(sizes.keys).isFixed())
    return "is for numbers of queries and keys that lie in no range";
  if (sizes.keyHeads != sizes.queryHeads || sizes.queryHeads < 2 || sizes.queryHeads > lanes)
    return llvm::formatv("is for 2 to {0} heads with keys of their own, found {1} and {2}", lanes, sizes.queryHeads,
                         sizes.keyHeads);
  // Sums and weights of two vectors are to leave some of the registers, 32 of 16 lanes or 16 of 8; from 8 elements on,
  // nothing is gained (AVX2: 0.8 of the time with 4 elements, 1.06 with 6, 1.7 with 8; AVX-512: 0.65 with 4, 1.0 with
  // 8).
  int64_t most = std::min<int64_t>(8, (2 * lanes - 4) / together - 1);
  if (sizes.headSize > most || sizes.valueSize > most)
    return llvm::formatv("is for heads of at most {0} elements, found {1} and {2}", most, sizes.headSize,
                         sizes.valueSize);
  // Scores of all keys are to stay in the first-level cache.
  if (sizes.keys > 128 || sizes.keys == 0 || sizes.queries == 0 || sizes.batch == 0)
    return llvm::formatv("is for 1 to 128 keys, found {0}", sizes.keys);
  if (std::abs(op.getScaleValue()) * llvm::numbers::log2e > std::numeric_limits<float>::max())
    return "is for scores that have a place in units of log(2)";
  // Lanes that each way takes, used or not.
  int64_t withQueries = sizes.queryHeads * llvm::alignTo(sizes.queries, 16);
  int64_t withHeads = llvm::PowerOf2Ceil(sizes.queryHeads) * sizes.queries;
  if (withQueries < withHeads)
    return llvm::formatv("is for heads that fill lanes better than queries do, found {0} heads and {1} queries",
                         sizes.queryHeads, sizes.queries);
  return "";
}

LogicalResult heddle::lowerAttentionHeads(RewriterBase &rewriter, AttentionOp op, int64_t lanes) {
  if (std::string reason = refusesHeadLanes(op, lanes); !reason.empty())
    return op.emitError("cannot lower attention with heads in lanes: ") << reason;
  AttentionOp::Sizes sizes = op.getSizes();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  // Tasks turn all keys: so many queries that this is little beside what they compute.
  int64_t count = sizes.queries;
  while (count % 2 == 0 && count >= 64)
    count /= 2;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> tile = {1, count, sizes.queryHeads, sizes.valueSize};
  Extent counts[] = {Sizes(op).of(sizes.batch).emitOnce(rewriter, loc), sizes.queries / count};
  Value result = emitTasks(
      rewriter, loc, counts, emitDestination(rewriter, op.getResult(), type), tile,
      [&](OpBuilder &b, ValueRange ivs, Value) {
        OpFoldResult zero = b.getIndexAttr(0), first = emitAffine(b, loc, ivs[1], count, 0);
        auto slice = [&](Value operand, OpFoldResult row, int64_t rows) {
          ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
          return emitSlice(b, loc, operand, {ivs[0], row, zero, zero}, {1, rows, shape[2], shape[3]});
        };
        Value query = slice(op.getQuery(), first, count), key = slice(op.getKey(), zero, sizes.keys);
        Value value = slice(op.getValue(), zero, sizes.keys);
        auto task = cast<AttentionOp>(b.clone(*op));
        task.getQueryMutable().assign(query);
        task.getKeyMutable().assign(key);
        task.getValueMutable().assign(value);
        task.getResult().setType(type.clone(tile));
        notes::headLanes.set(task, lanes);
        return TaskTile{task.getResult(), {ivs[0], first, zero, zero}};
      });
  rewriter.replaceOp(op, result);
  return success();
}

void heddle::expandHeadLanes(RewriterBase &rewriter, Operation *root) {
  SmallVector<AttentionOp> ops;
  root->walk([&](AttentionOp op) { ops.push_back(op); });
  for (AttentionOp op : ops)
    if (std::optional<int64_t> lanes = notes::headLanes.get(op))
      HeadEmitter(rewriter, op, *lanes).emit();
}
