//===- TileReduction.cpp - reductions that carry register tiles -----------===//

#include "LaneShuffles.h"
#include "TileShape.h"
#include "TileVectorizer.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the neutral element of an output's reduction, as a scalar or a vector.
Value TileVectorizer::neutral(unsigned output, const TilePoint &point) {
  Operation *last = combinerOf(op, output);
  TypedAttr element = *arith::getNeutralElement(last);
  // Upstream's neutral element of maxnumf and minnumf is NaN, which the comparison in `extremum` would keep.
  if (numbers.contains(output)) {
    auto type = cast<FloatType>(element.getType());
    element = b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), isa<arith::MaxNumFOp>(last)));
  }
  if (plan.lane < 0)
    return arith::ConstantOp::create(b, element);
  auto type = VectorType::get({widthFor(point.valid)}, element.getType());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<Attribute>(element)));
}

/// Joins two partial results of an output. If they cannot be NaN (`areNumbers`), the maximum and minimum use
/// `extremum`, which is a single instruction on x86.
static Value join(VectorBuilder &b, linalg::LinalgOp op, unsigned output, bool areNumbers, Value left, Value right) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combinerOf(op, output));
  if (areNumbers)
    return extremum(b, kind == vector::CombiningKind::MAXNUMF, left, right);
  return vector::makeArithReduction(b, b.getLoc(), kind, left, right);
}

/// Joins all lanes into a scalar. For most reductions, emits an op that LLVM expands; LLVM may reassociate operations
/// on floats. For maxnumf and minnumf, emits shuffles, since LLVM would emit a chain of scalar ops, each with a check
/// for NaN.
static Value joinLanes(VectorBuilder &b, linalg::LinalgOp op, unsigned output, bool areNumbers, Value vector) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combinerOf(op, output));
  auto type = cast<VectorType>(vector.getType());
  int64_t lanes = type.getNumElements();
  bool extremum = kind == vector::CombiningKind::MAXNUMF || kind == vector::CombiningKind::MINNUMF;
  if (!extremum || !llvm::isPowerOf2_64(lanes)) {
    bool floats = isa<FloatType>(type.getElementType());
    return vector::ReductionOp::create(b, kind, vector,
                                       floats ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none);
  }
  for (int64_t half = lanes / 2; half; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half)), high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    Value left = vector::ShuffleOp::create(b, vector, vector, low);
    Value right = vector::ShuffleOp::create(b, vector, vector, high);
    vector = join(b, op, output, areNumbers, left, right);
  }
  return vector::ExtractOp::create(b, vector, 0);
}

/// Returns whether the partial results of these points are folded into one vector, which is then written to the result
/// at once. Only reductions of i32 are folded, since the order of their operations makes no difference, and only for a
/// few rows that are adjacent in the result.
bool TileVectorizer::foldsTogether(ArrayRef<TilePoint> points) {
  int64_t rows = points.size();
  if (!plan.laneReduced || rows < 2 || rows > lanes / 2 || !llvm::isPowerOf2_64(lanes))
    return false;
  if (plan.blocked >= 0 ? !plan.unrolled.empty() : plan.unrolled.size() != 1)
    return false;
  AffineExpr row = b.getAffineDimExpr(plan.blocked >= 0 ? unsigned(plan.blocked) : plan.unrolled.front());
  return llvm::all_of(accumulated, [&](unsigned output) {
    OpOperand &init = *op.getDpsInitOperand(output);
    AffineMap map = op.getMatchingIndexingMap(&init);
    return combinerOf(op, output) && getElementTypeOrSelf(init.get()).isInteger(32) && map.getNumResults() == 1 &&
           map.getResult(0) == row;
  });
}

/// Emits the reduction for the points of one register tile. `outs` are the current tensors of the outputs; returns the
/// new tensors.
TileVectorizer::Values TileVectorizer::emitReduction(ArrayRef<TilePoint> points, Values outs) {
  bool known = llvm::all_of(accumulated, [&](unsigned output) { return combinerOf(op, output); });
  int64_t inner = plan.laneReduced ? plan.extents[plan.lane].steps(lanes) : plan.extents[plan.reduced.back()].number();
  // An accumulator of a point has `sets` copies, which are joined after the loop.
  sets = known ? chooseAccumulators(points.size() * accumulated.size(), inner, options, plan.laneReduced) : 1;

  // The initial values are read before anything is written.
  SmallVector<LaneValue> starts;
  bool together = foldsTogether(points);
  int64_t rows = points.size();
  for (unsigned output : accumulated) {
    OpOperand &init = *op.getDpsInitOperand(output);
    if (together) {
      SmallVector<OpFoldResult> at = indices(op.getMatchingIndexingMap(&init), points[0]);
      starts.push_back({LaneValue::Vector, registers.vector(outs[output], at, lanes / 2, rows)});
    }
    for (const TilePoint &point : points)
      if (!together)
        starts.push_back(read(init, outs[output], point));
  }

  // A linalg.fill may already be vectorised. Its constant is then the value that was read.
  numbers.clear();
  for (auto [index, output] : llvm::enumerate(accumulated)) {
    auto isNumber = [](const LaneValue &start) { return isConstantNumber(start.value); };
    if (isExtremumOfNumber(op, output) ||
        (isExtremum(op, output) && llvm::all_of(ArrayRef(starts).slice(index * rows, rows), isNumber)))
      numbers.insert(output);
  }

  auto startAt = [&](const LaneValue &start, const TilePoint &point) {
    return plan.lane < 0 ? start.value : asVector(b, start, widthFor(point.valid));
  };
  Values carried;
  for (unsigned set = 0; set < sets; ++set)
    for (auto [index, output] : llvm::enumerate(accumulated))
      for (unsigned p = 0; p < points.size(); ++p) {
        if (plan.laneReduced || set > 0)
          carried.push_back(neutral(output, points[p]));
        else
          carried.push_back(startAt(starts[index * points.size() + p], points[p]));
      }
  unsigned count = carried.size();
  for (unsigned output : streamed)
    carried.push_back(outs[output]);
  carried = reduceOuter(0, SmallVector<TilePoint>(points), carried);

  for (auto [index, output] : llvm::enumerate(streamed))
    outs[output] = carried[count + index];
  for (auto [index, output] : llvm::enumerate(accumulated)) {
    Values totals;
    for (auto [p, point] : llvm::enumerate(points)) {
      Value total = carried[index * points.size() + p];
      for (unsigned set = 1; set < sets; ++set)
        total = join(b, op, output, numbers.contains(output),
                     carried[(set * accumulated.size() + index) * points.size() + p], total);
      totals.push_back(total);
    }
    if (together) {
      outs[output] = writeTogether(output, outs[output], points, totals, starts[index].value);
      continue;
    }
    for (auto [p, point] : llvm::enumerate(points)) {
      Value total = totals[p];
      if (plan.laneReduced) {
        total = joinLanes(b, op, output, numbers.contains(output), total);
        total = join(b, op, output, numbers.contains(output), total, starts[index * points.size() + p].value);
      }
      LaneValue::Kind kind = plan.laneReduced || plan.lane < 0 ? LaneValue::Uniform : LaneValue::Vector;
      outs[output] = write(*op.getDpsInitOperand(output), outs[output], point, {kind, total}, !plan.laneReduced);
    }
  }
  return outs;
}

/// Folds the partial results of the points into adjacent lanes, joins them with the initial values, and writes the
/// lanes to `tensor`.
Value TileVectorizer::writeTogether(unsigned output, Value tensor, ArrayRef<TilePoint> points, const Values &totals,
                                    Value start) {
  Value folded = foldLanes(b, totals, [&](Value low, Value high) {
    return join(b, op, output, numbers.contains(output), low, high);
  });
  Value result = join(b, op, output, numbers.contains(output), b.resized(folded, lanes / 2), start);
  SmallVector<OpFoldResult> at = indices(op.getMatchingIndexingMap(op.getDpsInitOperand(output)), points[0]);
  if (recording)
    recorded[output].record(at, result, /*isScalar=*/false);
  return b.write(result, tensor, at, points.size());
}

/// Emits the loops over all reductions except the innermost one.
TileVectorizer::Values TileVectorizer::reduceOuter(unsigned depth, SmallVector<TilePoint> points, Values carried) {
  unsigned loops = plan.reduced.size() - (plan.laneReduced ? 0 : 1);
  if (depth == loops)
    return reduceInner(points, carried);
  unsigned d = plan.reduced[depth];
  return loop(plan.extents[d], 1, carried, [&](OpFoldResult at, int64_t, Values values) {
    SmallVector<TilePoint> inner = points;
    for (TilePoint &point : inner)
      point.at[d] = at;
    return reduceOuter(depth + 1, inner, values);
  });
}

/// Emits the innermost reduction loop. An iteration has one step for each of the `sets` accumulators of a point.
TileVectorizer::Values TileVectorizer::reduceInner(SmallVector<TilePoint> points, Values carried) {
  unsigned d = plan.laneReduced ? plan.lane : plan.reduced.back();
  int64_t unit = plan.laneReduced ? lanes : 1;
  return loop(plan.extents[d], unit * sets, carried, [&](OpFoldResult at, int64_t count, Values values) {
    for (unsigned set = 0; set * unit < count; ++set)
      reduceStep(points, b.add(at, set * unit), std::min(unit, count - set * unit), set, values);
    return values;
  });
}

/// Emits one step of each accumulator of set `set` (0 to `sets` - 1), and writes the elements of outputs that are not
/// accumulated.
void TileVectorizer::reduceStep(ArrayRef<TilePoint> points, OpFoldResult inner, int64_t valid, unsigned set,
                                Values &carried) {
  unsigned d = plan.laneReduced ? plan.lane : plan.reduced.back();
  unsigned count = sets * accumulated.size() * points.size();
  // Points with equal indices of an input share the value that is read from it: the scalar of a row, or the vector of
  // the other operand.
  std::map<std::pair<unsigned, std::vector<void *>>, LaneValue> shared;
  for (auto [p, origin] : llvm::enumerate(points)) {
    TilePoint point = origin;
    point.at[d] = inner;
    if (plan.laneReduced)
      point.valid = valid;
    SmallVector<LaneValue> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      std::vector<void *> place;
      for (unsigned loop = 0; loop < plan.extents.size(); ++loop)
        if (map.isFunctionOfDim(loop))
          place.push_back(point.at[loop].getOpaqueValue());
      auto [known, fresh] = shared.try_emplace({input->getOperandNumber(), place});
      LaneValue &value = known->second;
      if (fresh && onlyPrefetched(*input)) {
        prefetch(*input, point);
      } else if (fresh) {
        Value tensor = input->get();
        for (auto [index, output] : llvm::enumerate(streamed))
          if (op.getDpsInits()[output] == tensor && op.getMatchingIndexingMap(op.getDpsInitOperand(output)) == map)
            tensor = carried[count + index];
        value = read(*input, tensor, point);
      }
      arguments.push_back(value);
    }
    SmallVector<unsigned> slot(op.getNumDpsInits());
    for (auto [index, output] : llvm::enumerate(accumulated))
      slot[output] = (set * accumulated.size() + index) * points.size() + p;
    for (auto [index, output] : llvm::enumerate(streamed))
      slot[output] = count + index;
    for (auto [output, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      bool streams = llvm::is_contained(streamed, output);
      if (!streams)
        arguments.push_back({plan.lane < 0 ? LaneValue::Uniform : LaneValue::Vector, carried[slot[output]]});
      else if (op.payloadUsesValueFromOperand(&init))
        arguments.push_back(read(init, carried[slot[output]], point));
      else
        arguments.push_back({});
    }
    SmallVector<LaneValue> results = evaluate(point, arguments);
    for (auto [output, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      Value &target = carried[slot[output]];
      if (llvm::is_contained(streamed, output)) {
        target = write(init, target, point, results[output], true);
        continue;
      }
      Value result = plan.lane < 0 ? results[output].value : asVector(b, results[output], widthFor(point.valid));
      if (plan.laneReduced && valid < lanes)
        result = arith::SelectOp::create(b, b.mask(lanes, valid), result, target);
      target = result;
    }
  }
}
