//===- LowerElements.cpp - transform.heddle.lower_elements ----------------===//
//
// Each iteration of a parallel loop computes one element of a result. If the
// element is a sum, the loop over its terms carries the sum in a scalar. This
// lowering is for devices that run a thread for each element, where threads
// share data only through caches. Inside a task of another lowering, the
// elements of a tile are divided among the threads of the workgroup. If there
// are fewer elements than threads, the sums are divided among threads, too.
//
//===----------------------------------------------------------------------===//

#include "CutElements.h"
#include "boxes/LowerBoxes.h"
#include "TileTasks.h"
#include "TransformOps.h"

#include "tiles/TilePlaces.h"

#include "Sizes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Lowers one op to a loop over the elements of its results.
class ElementLowering {
public:
  /// `threads`: the number of threads of the workgroup that computes the op; 0 if the op is outside of tasks.
  ElementLowering(RewriterBase &b, linalg::LinalgOp op, int64_t threads)
      : b(b), op(op), loc(op.getLoc()), threads(threads), ivs(op.getNumLoops(), b.getIndexAttr(0)) {}
  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  Value bound(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value endOf(unsigned loop) { return ranges[loop].emitValue(b, loc); }
  void findRanges();
  int64_t countParts(bool joins);
  SmallVector<OpFoldResult> place(OpOperand &operand);
  Value element(Value tensor, OpOperand &operand);
  OpOperand *writtenOver(OpOperand &input);
  Values point(ArrayRef<Value> before);
  Value pointOfSum(Value carried) { return point(carried).front(); }
  Value summed(unsigned depth, Value carried);
  Value sumOfPart(Value part, int64_t parts, Value neutral);
  TaskPart makePart(Value out, Value value, ArrayRef<OpFoldResult> offsets);
  Value emitParts(int64_t parts, TypedAttr neutral);
  Value joined(Value sums, int64_t parts, Value carried, Operation *combiner);
  SmallVector<Extent> countElements();

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  int64_t threads;
  SmallVector<Extent> ranges;    // trip counts of all loops
  SmallVector<OpFoldResult> ivs; // the indices of all loops in the iteration that is being emitted
  SmallVector<unsigned> parallel, sums; // the parallel loops and the reduction loops
};
} // namespace

/// Sets the trip counts. Code that computes a trip count at run time is emitted once, before the loops.
void ElementLowering::findRanges() {
  if (op.hasDynamicShape())
    ranges = llvm::map_to_vector(op.createLoopRanges(b, loc), [](Range range) { return Extent(range.size); });
  else
    ranges = llvm::map_to_vector(op.getStaticLoopRanges(), [](int64_t number) { return Extent(number); });
  Sizes sizes(op);
  for (Extent &range : ranges)
    if (range.isFixed())
      range = sizes.of(range.number()).emitOnce(b, loc);
}

/// Returns the indices of an operand's element in the current iteration.
SmallVector<OpFoldResult> ElementLowering::place(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(map.getNumDims(), 0, expr), ivs);
  });
}

/// Returns the element of `tensor` that the current iteration reads as `operand`. If `tensor` is a scalar, returns it.
Value ElementLowering::element(Value tensor, OpOperand &operand) {
  if (!isa<ShapedType>(tensor.getType()))
    return tensor;
  // A splat constant becomes a scalar. A constant whose shape contains sizes in ranges is always a splat.
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(b, loc, elements.getSplatValue<TypedAttr>());
  return tensor::ExtractOp::create(b, loc, tensor, getValueOrCreateConstantIndexOp(b, loc, place(operand)));
}

/// Returns the output that has the same tensor and indexing map as the input, or null. The input is then read from the
/// output, so that bufferization does not copy the input to preserve it from writes to the output.
OpOperand *ElementLowering::writtenOver(OpOperand &input) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (sums.empty() && init.get() == input.get() &&
        op.getMatchingIndexingMap(&init) == op.getMatchingIndexingMap(&input))
      return &init;
  return nullptr;
}

/// Emits the body of the op for the current iteration, and returns the yielded values. For each output, `before`
/// contains the previous value, or null if the body does not read it.
ElementLowering::Values ElementLowering::point(ArrayRef<Value> before) {
  Block &body = *op.getBlock();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (OpOperand *init = op.isDpsInit(&operand) ? &operand : writtenOver(operand))
      mapping.map(argument, before[init->getOperandNumber() - op.getNumDpsInputs()]);
    else if (!argument.use_empty())
      mapping.map(argument, element(operand.get(), operand));
  }
  for (Operation &inside : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inside))
      mapping.map(index.getResult(), getValueOrCreateConstantIndexOp(b, loc, ivs[index.getDim()]));
    else
      b.clone(inside, mapping);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value yielded) { return mapping.lookupOrDefault(yielded); });
}

/// Emits the reduction loops from `sums[depth]` on, with `carried` as the initial sum, and returns the sum.
Value ElementLowering::summed(unsigned depth, Value carried) {
  if (depth == sums.size())
    return pointOfSum(carried);
  auto loop = scf::ForOp::create(b, loc, bound(0), endOf(sums[depth]), bound(1), carried,
                                 [&](OpBuilder &, Location, Value iv, ValueRange values) {
                                   ivs[sums[depth]] = iv;
                                   Value next = summed(depth + 1, values.front());
                                   scf::YieldOp::create(b, loc, next);
                                 });
  return loop.getResult(0);
}

/// Emits the sum of the terms `part`, `part` + `parts`, `part` + 2 x `parts` and so on, of an op with one reduction
/// loop.
Value ElementLowering::sumOfPart(Value part, int64_t parts, Value neutral) {
  auto loop = scf::ForOp::create(b, loc, part, endOf(sums[0]), bound(parts), neutral,
                                 [&](OpBuilder &, Location, Value iv, ValueRange values) {
                                   ivs[sums[0]] = iv;
                                   Value next = pointOfSum(values.front());
                                   scf::YieldOp::create(b, loc, next);
                                 });
  return loop.getResult(0);
}

/// Emits the insertion of `value` into the slice of `out` that consists of one element at `offsets`, and returns this
/// slice with its position.
TaskPart ElementLowering::makePart(Value out, Value value, ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> ones(offsets.size(), 1);
  Value slice = emitSlice(b, loc, out, offsets, ones);
  Values zeros(offsets.size(), bound(0));
  return {tensor::InsertOp::create(b, loc, value, slice, zeros), SmallVector<OpFoldResult>(offsets),
          SmallVector<OpFoldResult>(offsets.size(), b.getIndexAttr(1))};
}

/// Returns the trip counts of the parallel loops.
SmallVector<Extent> ElementLowering::countElements() {
  return llvm::map_to_vector(parallel, [&](unsigned loop) { return ranges[loop]; });
}

/// Returns the number of parts into which each sum is divided, so that threads without an element of their own compute
/// parts of sums. If this number is less than 2, sums are not divided. `joins`: whether partial sums can be combined.
int64_t ElementLowering::countParts(bool joins) {
  int64_t elements = 1;
  for (unsigned loop : parallel) {
    joins &= ranges[loop].isFixed();
    elements *= ranges[loop].isFixed() ? ranges[loop].number() : 1;
  }
  if (!joins)
    return 1;
  // If the number of terms is known only at run time, some parts may have no terms.
  return std::min(threads / elements, ranges[sums[0]].isFixed() ? ranges[sums[0]].number() : threads);
}

/// Emits the sums of all parts. The last dimension of the returned tensor indexes the parts.
Value ElementLowering::emitParts(int64_t parts, TypedAttr neutral) {
  SmallVector<Extent> counts = countElements();
  counts.push_back(parts);
  auto shape = llvm::map_to_vector(counts, [](const Extent &count) { return count.number(); });
  Value empty = tensor::EmptyOp::create(b, loc, shape, neutral.getType());
  return emitTaskParts(b, loc, counts, empty, [&](OpBuilder &, ValueRange positions, Value out) {
    for (auto [loop, position] : llvm::zip(parallel, positions))
      ivs[loop] = position;
    Value value = sumOfPart(positions.back(), parts, arith::ConstantOp::create(b, loc, neutral));
    return makePart(out, value, getAsOpFoldResult(positions));
  });
}

/// Emits a loop that combines the partial sums of the current element, which are in `sums`, with copies of `combiner`.
/// `carried` is the initial value.
Value ElementLowering::joined(Value sums, int64_t parts, Value carried, Operation *combiner) {
  Values at = llvm::map_to_vector(parallel, [&](unsigned loop) { return cast<Value>(ivs[loop]); });
  at.push_back(Value());
  auto loop = scf::ForOp::create(b, loc, bound(0), bound(parts), bound(1), carried,
                                 [&](OpBuilder &, Location, Value part, ValueRange values) {
                                   at.back() = part;
                                   Value sum = tensor::ExtractOp::create(b, loc, sums, at);
                                   Operation *join = b.clone(*combiner);
                                   join->setOperands({values.front(), sum});
                                   scf::YieldOp::create(b, loc, join->getResult(0));
                                 });
  return loop.getResult(0);
}

/// Lowers the op, which must have no reduction or a single result. Fails if several iterations would write the same
/// element of a result, or if the indexing map of an output is not a projected permutation.
LogicalResult ElementLowering::run() {
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::parallel ? parallel : sums).push_back(loop);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || (!sums.empty() && !op.payloadUsesValueFromOperand(&init)) ||
        !llvm::all_of(parallel, [&](unsigned loop) { return map.isFunctionOfDim(loop); }))
      return failure();
  }
  b.setInsertionPoint(op);
  findRanges();
  SmallVector<TileDestination> dests;
  if (threads)
    for (Value init : op.getDpsInits())
      dests.push_back({init, Value()});
  else
    dests = emitDestinations(b, op);
  SmallVector<Operation *> combiners;
  std::optional<TypedAttr> neutral;
  if (threads && sums.size() == 1 && matchReduction(op.getRegionOutputArgs(), 0, combiners) && combiners.size() == 1)
    neutral = arith::getNeutralElement(combiners[0]);
  int64_t parts = countParts(neutral.has_value());
  Value sumsOfParts = parts > 1 ? emitParts(parts, *neutral) : Value();
  SmallVector<Extent> counts = countElements();
  if (counts.empty())
    counts.push_back(1);
  Values outs = llvm::map_to_vector(dests, [](const TileDestination &dest) { return dest.tensor; });
  auto task = [&](OpBuilder &, ValueRange positions, ValueRange targets) {
    for (auto [loop, position] : llvm::zip(parallel, positions))
      ivs[loop] = position;
    Values before;
    SmallVector<SmallVector<OpFoldResult>> places;
    for (auto [number, target] : llvm::enumerate(targets)) {
      OpOperand &init = *op.getDpsInitOperand(number);
      places.push_back(place(init));
      bool isRead = op.payloadUsesValueFromOperand(&init) ||
                    llvm::any_of(op.getDpsInputOperands(),
                                 [&](OpOperand *input) { return writtenOver(*input) == &init; });
      before.push_back(!isRead ? Value() : dests[number].start ? dests[number].start : element(target, init));
    }
    Values values = sums.empty() ? point(before)
                    : parts > 1  ? Values{joined(sumsOfParts, parts, before[0], combiners[0])}
                                 : Values{summed(0, before[0])};
    SmallVector<TaskPart> results;
    for (auto [target, value, offsets] : llvm::zip(targets, values, places))
      results.push_back(makePart(target, value, offsets));
    return results;
  };
  b.replaceOp(op, emitTaskParts(b, loc, counts, ValueRange(outs), task));
  return success();
}

/// Returns whether another lowering has already assigned the op to a single thread: it is in a loop over threads inside
/// a task.
static bool isOfOneThread(Operation *op) {
  auto task = op->getParentOfType<scf::ForallOp>();
  return task && task->getParentOfType<scf::ForallOp>();
}

/// If `task` contains a loop over threads or allocates tiles, maps the iterations of `task` to workgroups, since the
/// tensors of such a task lie in workgroup memory. The mapping also prevents an scf.forall with a single iteration from
/// being folded.
static void mapToWorkgroups(scf::ForallOp task) {
  bool hasThreads = task.getBody()->walk([](scf::ForallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (!hasThreads && !holdsTiles(task))
    return;
  SmallVector<Attribute> ids;
  for (int64_t i = task.getRank(); i > 0; --i)
    ids.push_back(gpu::GPUBlockMappingAttr::get(
        task.getContext(), *gpu::symbolizeMappingId(uint64_t(gpu::MappingId::LinearDim0) + (i - 1))));
  task.setMappingAttr(ArrayAttr::get(task.getContext(), ids));
}

DiagnosedSilenceableFailure transforms::LowerElementsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                    Operation *target,
                                                                    transform::TransformState &state) {
  auto func = dyn_cast<func::FuncOp>(target);
  if (!func)
    return emitDefiniteFailure("expects a function as target, found ") << target->getName();
  FailureOr<int64_t> threads = getInteger(state, getThreads());
  if (failed(threads) || *threads <= 0)
    return emitDefiniteFailure("expects a positive integer as threads");
  lowerMoves(rewriter, func);
  lowerMovesInTasks(rewriter, func);
  for (linalg::LinalgOp op : llvm::to_vector(func.getOps<linalg::LinalgOp>()))
    if (!op->use_empty() && !op.hasDynamicShape())
      cutSums(rewriter, op, *threads);
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) {
    if (!isOfOneThread(op) && !isOnTiles(op))
      ops.push_back(op);
  });
  // Consumers are lowered before producers. The fill of a consumer's destination then has no users left and is erased.
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      rewriter.eraseOp(op);
      continue;
    }
    bool isInTask = op->getParentOfType<scf::ForallOp>() != nullptr;
    if (op.hasDynamicShape() && !isInTask)
      return emitDefiniteFailure("expects static shapes, found ") << op->getResultTypes();
    FailureOr<SmallVector<linalg::LinalgOp>> parts = splitResults(rewriter, op);
    if (failed(parts))
      return emitDefiniteFailure() << op->getName() << " has a sum on which another result depends";
    for (linalg::LinalgOp part : *parts)
      if (!(isInTask && getWide() && succeeded(lowerBoxes(rewriter, part, *threads))) &&
          failed(ElementLowering(rewriter, part, isInTask ? *threads : 0).run()))
        return emitDefiniteFailure() << part->getName()
                                     << " has a result whose elements are written by several iterations";
  }
  for (scf::ForallOp task : func.getOps<scf::ForallOp>())
    mapToWorkgroups(task);
  return DiagnosedSilenceableFailure::success();
}
