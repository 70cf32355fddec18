//===- LaneVectorizer.cpp - parts of the dimensions, and the loops ---------===//

#include "Hints.h"
#include "LaneEmitter.h"
#include "LaneReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

LaneEmitter::LaneEmitter(RewriterBase &rewriter, linalg::LinalgOp op, const LaneOptions &options,
                         ArrayRef<linalg::GenericOp> followers)
    : rewriter(rewriter), b(op.getLoc(), rewriter), op(op), options(options), followers(followers),
      sizes(op.getStaticLoopRanges()), base(sizes.size()) {}

LogicalResult LaneEmitter::classifyOperand(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return op.emitError("operand #") << operand.getOperandNumber()
                                     << " is not indexed by loop dimensions alone";
  std::optional<unsigned> at = map.getResultPosition(b.getAffineDimExpr(lane));
  if (!at || *at == map.getNumResults() - 1)
    return success();
  unsigned last = map.getDimPosition(map.getNumResults() - 1);
  if (op.getIteratorTypesArray()[last] != utils::IteratorType::parallel || (row && *row != last))
    return op.emitError("operand #") << operand.getOperandNumber()
                                     << " has neither the lanes nor one row dimension last";
  row = last;
  transposes = true;
  filledLanes = std::min(filledLanes, cast<RankedTensorType>(unpadded(operand).getType()).getDimSize(*at));
  return success();
}

LogicalResult LaneEmitter::classify() {
  if (!op.hasPureTensorSemantics() || llvm::any_of(sizes, ShapedType::isDynamic))
    return op.emitError("is not on tensors of static shape");
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation())
    return op.emitError("has no last dimension to put into vector lanes");
  lane = result.getDimPosition(result.getNumResults() - 1);
  filledLanes = sizes[lane];
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()) && failed(classifyOperand(operand)))
      return failure();

  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  if (types[lane] != utils::IteratorType::parallel)
    return op.emitError("reduces along the lanes");
  for (auto [dim, type] : llvm::enumerate(types)) {
    if (type == utils::IteratorType::reduction)
      reductions.push_back(dim);
    else if (dim != lane)
      outer.push_back(dim);
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [dim, type] : llvm::enumerate(types))
      if (type == utils::IteratorType::parallel && !map.isFunctionOfDim(dim))
        return op.emitError("has a result that lacks a parallel dimension");
    if (map.getDimPosition(map.getNumResults() - 1) != lane)
      return op.emitError("has results with different last dimensions");
    Output output;
    output.reduced = llvm::any_of(reductions, [&](unsigned dim) { return !map.isFunctionOfDim(dim); });
    outputs.push_back(output);
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !isa<linalg::IndexOp>(inner) &&
        !inner.hasTrait<OpTrait::ConstantLike>())
      return op.emitError("has a body with '") << inner.getName() << "', which has no form on vectors";
  return success();
}

/// Accumulators, one row of the panel and a scalar share the registers; equal
/// tiles beat a full one and a small rest.
void LaneEmitter::chooseTile() {
  auto even = [](int64_t size, int64_t limit) {
    int64_t tiles = llvm::divideCeil(size, limit);
    return std::max<int64_t>(1, llvm::divideCeil(size, std::max<int64_t>(tiles, 1)));
  };
  if (transposes) {
    // A square of vectors is to stay in registers.
    if (options.registers < options.width)
      options.width /= 2;
    rowStep = laneStep = options.width;
  } else {
    // One row of scalars meets as many vectors as there are registers, many rows only a few.
    int64_t rowCount = outer.empty() || reductions.empty() ? options.registers : sizes[outer.back()];
    int64_t limit = std::max(options.registers / 8, (options.registers - 2) / (rowCount + 1));
    laneStep = options.width * even(sizes[lane] / options.width, std::max<int64_t>(limit, 1));
    int64_t columns = laneStep / options.width;
    if (!reductions.empty() && !outer.empty()) {
      row = outer.back();
      rowStep = even(sizes[*row], std::clamp<int64_t>((options.registers - 1 - columns) / columns, 1, 12));
    }
  }
  if (row)
    llvm::erase(outer, *row);
}

SmallVector<Value> LaneEmitter::emit() {
  chooseTile();
  for (auto [output, init] : llvm::zip(outputs, op.getDpsInits())) {
    carried.push_back(init);
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (output.reduced && fill && fill->hasOneUse()) {
      output.fill = fill.value();
      carried.back() = fill.output();
    }
  }
  for (linalg::GenericOp next : followers)
    if (next.getNumReductionLoops())
      carried.push_back(next.getDpsInits()[0]);
  tensors = carried.size();
  // Where the last one's other operands are known.
  b.setInsertionPoint(followers.empty() ? op.getOperation() : followers.back().getOperation());
  SmallVector<unsigned> live = llvm::to_vector(llvm::seq<unsigned>(0, tensors));
  int64_t whole = filledLanes - filledLanes % options.width;
  steps(lane, 0, whole, laneStep, live, [&] { emitOuter(0); });
  for (int64_t at = whole; at < sizes[lane]; at += options.width)
    steps(lane, at, std::min(at + options.width, sizes[lane]), options.width, live, [&] { emitOuter(0); });
  return carried;
}

void LaneEmitter::emitOuter(unsigned i) {
  SmallVector<unsigned> live = llvm::to_vector(llvm::seq<unsigned>(0, tensors));
  if (i < outer.size())
    steps(outer[i], 0, sizes[outer[i]], 1, live, [&] { emitOuter(i + 1); });
  else if (row)
    steps(*row, 0, sizes[*row], rowStep, live, [&] { emitRows(); });
  else
    emitRows();
}

/// One register tile: accumulators, the reduction, and what it gave.
void LaneEmitter::emitRows() {
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!output.reduced)
      continue;
    output.firstCarried = carried.size();
    for (int64_t u = 0; u < rows; ++u)
      for (int64_t j = 0; j < vectors; ++j)
        carried.push_back(output.fill ? toVector(output.fill)
                                      : load(*op.getDpsInitOperand(i), carried[i], u, j));
  }
  emitReduction(0);
  if (!followers.empty()) {
    SmallVector<Value> values(llvm::drop_begin(carried, tensors));
    emitFollowers(values);
    llvm::copy(values, carried.begin() + tensors);
  }
  for (auto [i, output] : llvm::enumerate(outputs))
    if (output.reduced)
      for (int64_t u = 0; u < rows; ++u)
        for (int64_t j = 0; j < vectors; ++j)
          store(i, carried[output.firstCarried + u * vectors + j], u, j);
  carried.truncate(tensors);
}

void LaneEmitter::emitReduction(unsigned i) {
  if (i == reductions.size())
    return emitBody();
  SmallVector<unsigned> live;
  for (unsigned at = 0; at < carried.size(); ++at)
    if (at >= tensors || (at < outputs.size() && !outputs[at].reduced))
      live.push_back(at);
  steps(reductions[i], 0, sizes[reductions[i]], 1, live, [&] { emitReduction(i + 1); });
}

/// Runs `body` with `dim` in [begin, end): a loop over whole steps, then the
/// rest as one smaller step. `live`: what the loop carries.
void LaneEmitter::steps(unsigned dim, int64_t begin, int64_t end, int64_t step, ArrayRef<unsigned> live,
                        function_ref<void()> body) {
  auto enter = [&](Value index, int64_t count) {
    auto outside = loaded;
    base[dim] = index;
    if (dim == lane) {
      width = std::min(count, options.width);
      vectors = count / width;
    } else if (row && dim == *row) {
      rows = count;
    }
    preload();
    body();
    base[dim] = Value();
    loaded = outside;
  };
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };

  int64_t whole = (end - begin) / step, rest = (end - begin) % step;
  if (whole == 1) {
    enter(constant(begin), step);
  } else if (whole > 1) {
    SmallVector<Value> inits;
    for (unsigned at : live)
      inits.push_back(carried[at]);
    auto loop = scf::ForOp::create(b, constant(begin), constant(begin + whole * step), constant(step), inits);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      for (auto [at, arg] : llvm::zip(live, loop.getRegionIterArgs()))
        carried[at] = arg;
      enter(loop.getInductionVar(), step);
      SmallVector<Value> results;
      for (unsigned at : live)
        results.push_back(carried[at]);
      if (!live.empty())
        scf::YieldOp::create(b, results);
    }
    for (auto [at, result] : llvm::zip(live, loop.getResults()))
      carried[at] = result;
  }
  if (rest)
    enter(constant(begin + whole * step), rest);
}

static bool isRare(Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(rareAttr))
      return true;
  return false;
}

/// Replaces `op` and its followers by loops over 1-D vectors. Emits a diagnostic at `op` and leaves it alone where it
/// does not fit.
static LogicalResult vectorizeLanes(RewriterBase &rewriter, linalg::LinalgOp op,
                                    ArrayRef<linalg::GenericOp> followers, LaneOptions options) {
  LaneReduction reduction(rewriter, op, options);
  if (reduction.fits()) {
    rewriter.replaceOp(op, reduction.emit());
    return success();
  }
  if (isRare(op)) // four accumulators hide most of what a multiply-add waits
    options.registers = std::min<int64_t>(options.registers, 6);
  LaneEmitter emitter(rewriter, op, options, followers);
  if (failed(emitter.classify()))
    return failure();
  SmallVector<Value> results = emitter.emit();
  for (linalg::GenericOp next : llvm::reverse(followers))
    rewriter.replaceOp(next, next.getNumReductionLoops() ? results[1] : results[0]);
  rewriter.replaceOp(op, ValueRange(results).take_front(op->getNumResults()));
  return success();
}

LogicalResult heddle::vectorizeAllLanes(RewriterBase &rewriter, Operation *root, const LaneOptions &options) {
  // Users first: an op takes what its accumulators start from out of the fill before it.
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  DenseMap<Operation *, SmallVector<linalg::GenericOp>> followers;
  DenseSet<Operation *> taken;
  for (linalg::LinalgOp op : ops)
    if (!taken.contains(op)) {
      followers[op] = followersOf(rewriter, op, options);
      taken.insert_range(followers[op]);
    }
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    if (taken.contains(op))
      continue;
    if (isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (failed(vectorizeLanes(rewriter, op, followers[op], options)))
      return failure();
  }
  root->walk([](scf::ForOp loop) {
    if (isRare(loop))
      loop->setAttr("loop_annotation", keepRolled(loop.getContext()));
  });
  return success();
}
