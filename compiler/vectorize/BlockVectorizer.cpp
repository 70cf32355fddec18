//===- BlockVectorizer.cpp - roles of dimensions, and loops ---------------===//

#include "BlockVectorizer.h"
#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

BlockVectorizer::BlockVectorizer(RewriterBase &rewriter, linalg::LinalgOp op, const VectorOptions &options,
                                 ArrayRef<linalg::GenericOp> epilogue)
    : rewriter(rewriter), b(op.getLoc(), rewriter), op(op), options(options), epilogue(epilogue),
      base(op.getNumLoops()) {}

/// Checks how the operand is indexed. If `lane` indexes a dimension other than the last one, the operand must be
/// transposed: the loop that indexes its last dimension becomes `row`.
LogicalResult BlockVectorizer::classifyOperand(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return op.emitOpError("operand #") << operand.getOperandNumber() << " is not indexed by loop dimensions alone";
  std::optional<unsigned> at = map.getResultPosition(b.getAffineDimExpr(lane));
  if (!at || *at == map.getNumResults() - 1)
    return success();
  unsigned last = map.getDimPosition(map.getNumResults() - 1);
  if (op.getIteratorTypesArray()[last] != utils::IteratorType::parallel || (row && *row != last))
    return op.emitOpError("operand #")
           << operand.getOperandNumber()
           << " has a last dimension that is neither the lane dimension nor the only row dimension";
  row = last;
  transposes = true;
  if (!extents[lane].isFixed() || !extents[last].isFixed())
    return op.emitOpError("cannot be transposed in blocks: expected loops of static size, found a dynamic bound");
  filledLanes = std::min(filledLanes, cast<RankedTensorType>(unpadded(operand).getType()).getDimSize(*at));
  return success();
}

LogicalResult BlockVectorizer::classify() {
  FailureOr<SmallVector<Extent>> loops = loopExtents(op, &b);
  if (failed(loops) || failed(checkBody(op)))
    return failure();
  extents = *loops;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation())
    return op.emitOpError("has a result that has no dimension or is not indexed by loop dimensions alone");
  lane = result.getDimPosition(result.getNumResults() - 1);
  filledLanes = extents[lane].isFixed() ? extents[lane].number() : 0;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()) && failed(classifyOperand(operand)))
      return failure();

  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  if (types[lane] != utils::IteratorType::parallel)
    return op.emitOpError("reduces along the last dimension of the result, which is not supported");
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
        return op.emitOpError("has a result that lacks a parallel dimension of the loops");
    if (map.getDimPosition(map.getNumResults() - 1) != lane)
      return op.emitOpError("has results with different last dimensions");
    outputs.push_back({isAccumulated(op, outputs.size()), /*fill=*/Value(), /*firstCarried=*/0});
  }
  return success();
}

/// Returns the number of iterations that is assumed when a tile is chosen. A dynamic extent is assumed to be very long.
static int64_t expected(const Extent &extent) { return extent.isFixed() ? extent.number() : int64_t(1) << 20; }

/// Chooses the rows and lanes of a register tile.
void BlockVectorizer::chooseSteps() {
  if (transposes) {
    options.lanes = chooseSquareTile(/*perLane=*/1, options);
    rowStep = laneStep = options.lanes;
  } else {
    bool hasRows = !reductions.empty() && !outer.empty();
    int64_t vectors = extents[lane].isFixed() ? extents[lane].number() / options.lanes : 1;
    TileShape tile = chooseTile(hasRows ? expected(extents[outer.back()]) : 1, vectors,
                                hasRows ? TileUse::Accumulate : TileUse::Map, options);
    laneStep = options.lanes * tile.vectors;
    rowStep = tile.rows;
    if (hasRows)
      row = outer.back();
  }
  if (row)
    llvm::erase(outer, *row);
}

SmallVector<Value> BlockVectorizer::emit() {
  chooseSteps();
  for (auto [output, init] : llvm::zip(outputs, op.getDpsInits())) {
    carried.push_back(init);
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (output.reduced && fill && fill->hasOneUse()) {
      output.fill = fill.value();
      carried.back() = fill.output();
    }
  }
  for (linalg::GenericOp next : epilogue)
    if (next.getNumReductionLoops())
      carried.push_back(next.getDpsInits()[0]);
  tensors = carried.size();
  // Code is inserted at the last epilogue op, where the operands of all epilogue ops are defined.
  b.setInsertionPoint(epilogue.empty() ? op.getOperation() : epilogue.back().getOperation());
  prefetcher = ReadPrefetcher(b, op, lane);
  SmallVector<unsigned> live = llvm::to_vector(llvm::seq<unsigned>(0, tensors));
  if (!extents[lane].isFixed()) {
    steps(lane, extents[lane], laneStep, live, [&] { emitOuter(0); });
    return carried;
  }
  // The whole vectors come first, then one iteration for each vector that the zero padding fills in part or entirely.
  int64_t whole = filledLanes - filledLanes % options.lanes;
  steps(lane, whole, laneStep, live, [&] { emitOuter(0); });
  int64_t all = extents[lane].number();
  for (int64_t at = whole; at < all; at += options.lanes)
    steps(
        lane, std::min(at + options.lanes, all), options.lanes, live, [&] { emitOuter(0); }, /*begin=*/at);
  return carried;
}

/// Emits the parallel loops from `outer[i]` on, then the loop over rows.
void BlockVectorizer::emitOuter(unsigned i) {
  SmallVector<unsigned> live = llvm::to_vector(llvm::seq<unsigned>(0, tensors));
  if (i < outer.size())
    steps(outer[i], extents[outer[i]], 1, live, [&] { emitOuter(i + 1); });
  else if (row)
    steps(*row, extents[*row], rowStep, live, [&] { emitRows(); });
  else
    emitRows();
}

/// Emits one register tile: sets up the accumulators, runs the reduction and the epilogue, and stores the results.
void BlockVectorizer::emitRows() {
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!output.reduced)
      continue;
    output.firstCarried = carried.size();
    for (int64_t u = 0; u < rows; ++u)
      for (int64_t j = 0; j < vectors; ++j)
        carried.push_back(output.fill ? b.broadcast(output.fill, width)
                                      : load(*op.getDpsInitOperand(i), carried[i], u, j));
  }
  emitReduction(0);
  if (!epilogue.empty()) {
    SmallVector<Value> values(llvm::drop_begin(carried, tensors));
    emitEpilogue(values);
    llvm::copy(values, carried.begin() + tensors);
  }
  for (auto [i, output] : llvm::enumerate(outputs))
    if (output.reduced)
      for (int64_t u = 0; u < rows; ++u)
        for (int64_t j = 0; j < vectors; ++j)
          store(i, carried[output.firstCarried + u * vectors + j], u, j);
  carried.truncate(tensors);
}

/// Emits the reduction loops from `reductions[i]` on, then the body.
void BlockVectorizer::emitReduction(unsigned i) {
  if (i == reductions.size())
    return emitBody();
  SmallVector<unsigned> live;
  for (unsigned at = 0; at < carried.size(); ++at)
    if (at >= tensors || (at < outputs.size() && !outputs[at].reduced))
      live.push_back(at);
  steps(reductions[i], extents[reductions[i]], 1, live, [&] { emitReduction(i + 1); });
}

/// Emits a loop over `dim`, from `begin` to `extent` in steps of `step`. `body` emits the loop's body. The loop carries
/// those entries of `carried` whose indices are in `live`.
void BlockVectorizer::steps(unsigned dim, const Extent &extent, int64_t step, ArrayRef<unsigned> live,
                            function_ref<void()> body, int64_t begin) {
  auto get = [&] { return llvm::map_to_vector(live, [&](unsigned at) { return carried[at]; }); };
  auto set = [&](ArrayRef<Value> values) {
    for (auto [at, value] : llvm::zip(live, values))
      carried[at] = value;
  };
  auto inLoop = [&](OpFoldResult index, int64_t count, ArrayRef<Value> values) {
    set(values);
    auto outside = loaded;
    base[dim] = index;
    if (dim == lane) {
      width = std::min(count, options.lanes);
      vectors = count / width;
    } else if (row && dim == *row) {
      rows = count;
    }
    preload();
    body();
    base[dim] = OpFoldResult();
    loaded = outside;
    return get();
  };
  set(b.loop(extent, step, get(), inLoop, begin));
}

/// Emits the body for each vector of the register tile. All results are computed before any is written: after a write,
/// a read of the old tensor would make bufferization insert a copy.
void BlockVectorizer::emitBody() {
  SmallVector<SmallVector<Value>> results;
  for (int64_t u = 0; u < rows; ++u)
    for (int64_t j = 0; j < vectors; ++j)
      results.push_back(emitBody(u, j));
  for (auto [i, output] : llvm::enumerate(outputs))
    for (int64_t u = 0; u < rows; ++u)
      for (int64_t j = 0; j < vectors; ++j) {
        Value result = results[u * vectors + j][i];
        if (output.reduced)
          carried[output.firstCarried + u * vectors + j] = result;
        else
          store(i, result, u, j);
      }
}

/// Emits the body for row `u` and vector `j` of the register tile. Returns one value for each output.
SmallVector<Value> BlockVectorizer::emitBody(int64_t u, int64_t j) {
  BodyPlace place = {{}, static_cast<int>(lane), width, width};
  if (op.hasIndexSemantics())
    for (unsigned dim = 0; dim < base.size(); ++dim)
      place.at.push_back(indexOf(dim, u, j));
  ElementSource memory(b);
  LaneBody body(b, op, place, memory);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(operand);
    if (!isa<ShapedType>(operand->get().getType()))
      body.set(arg, {LaneValue::Uniform, operand->get()});
    else if (!arg.use_empty())
      body.set(arg, LaneValue::of(loadedValue(*operand, u, j)));
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    OpOperand *init = op.getDpsInitOperand(i);
    BlockArgument arg = op.getMatchingBlockArgument(init);
    if (output.reduced)
      body.set(arg, LaneValue::of(carried[output.firstCarried + u * vectors + j]));
    else if (!arg.use_empty())
      body.set(arg, LaneValue::of(load(*init, carried[i], u, j)));
  }
  return llvm::map_to_vector(body.evaluate(), [&](LaneValue result) { return body.asVector(result); });
}
