//===- CutElements.cpp - prepares ops for element loops -------------------===//

#include "CutElements.h"
#include "TileTasks.h"

#include "Sizes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Emits an op that computes only result `number` of `op`. If this result depends on other outputs of `op`, they become
/// inputs of the new op. Returns null if one of these outputs is a sum, whose elements are written several times.
static linalg::LinalgOp emitResult(RewriterBase &b, linalg::LinalgOp op, unsigned number) {
  Block &body = *op.getBlock();
  Value yielded = body.getTerminator()->getOperand(number);
  SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *inside) { return inside->getBlock() == &body; };
  if (yielded.getParentBlock() == &body && yielded.getDefiningOp())
    (void)getBackwardSlice(yielded, &needed, options);
  OpOperand &own = *op.getDpsInitOperand(number);
  SmallVector<Value> inputs, arguments;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    bool isNeeded = llvm::any_of(argument.getUsers(), [&](Operation *user) { return needed.contains(user); });
    if (&operand == &own || (!isNeeded && argument != yielded))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) && !map.isPermutation())
      return {};
    inputs.push_back(operand.get());
    arguments.push_back(argument);
    maps.push_back(map);
  }
  maps.push_back(op.getMatchingIndexingMap(&own));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (maps.back().isFunctionOfDim(loop))
      iterator = utils::IteratorType::parallel;
  return linalg::GenericOp::create(b, op.getLoc(), own.get().getType(), inputs, own.get(), maps, iterators,
                                   [&](OpBuilder &inside, Location loc, ValueRange values) {
                                     IRMapping mapping;
                                     mapping.map(arguments, values.drop_back());
                                     mapping.map(op.getMatchingBlockArgument(&own), values.back());
                                     for (Operation &known : body.without_terminator())
                                       if (needed.contains(&known))
                                         inside.clone(known, mapping);
                                     linalg::YieldOp::create(inside, loc, mapping.lookupOrDefault(yielded));
                                   });
}

FailureOr<SmallVector<linalg::LinalgOp>> heddle::splitResults(RewriterBase &b, linalg::LinalgOp op) {
  if (op->getNumResults() == 1 || op.isAllParallelLoops())
    return SmallVector<linalg::LinalgOp>{op};
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, op->getNumResults()));
  auto rank = [&](unsigned i) {
    return std::pair(op.getMatchingIndexingMap(op.getDpsInitOperand(i)).getNumResults(), i);
  };
  llvm::sort(order, [&](unsigned left, unsigned right) { return rank(left) < rank(right); });
  b.setInsertionPoint(op);
  SmallVector<linalg::LinalgOp> parts;
  SmallVector<Value> results(order.size());
  for (unsigned number : order) {
    parts.push_back(emitResult(b, op, number));
    if (!parts.back())
      return failure();
    results[number] = parts.back()->getResult(0);
  }
  b.replaceOp(op, results);
  return parts;
}

void heddle::cutSums(RewriterBase &b, linalg::LinalgOp op, int64_t threads) {
  auto iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Sizes sizes(op);
  int64_t elements = 1, summed = 1; // upper bounds of the number of result elements, and of the terms of each element
  TileBox box;
  SmallVector<unsigned> parallel;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    bool isSum = iterators[loop] != utils::IteratorType::parallel;
    int64_t &product = isSum ? summed : elements;
    if (llvm::MulOverflow(product, sizes.of(range).high(), product))
      product = INT64_MAX;
    box.offsets.push_back(b.getIndexAttr(0));
    box.sizes.push_back(isSum ? range : 1);
    if (!isSum)
      parallel.push_back(loop);
  }
  // Tasks pay off only for few elements with many terms. Without tasks, a single thread would compute each of these
  // elements, and only few workgroups would be busy.
  if (op->getNumResults() != 1 || summed < threads / 2 || elements >= 8 * threads ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isProjectedPermutation())
    return;
  b.setInsertionPoint(op);
  auto counts = llvm::map_to_vector(parallel, [&](unsigned loop) { return sizes.of(ranges[loop]); });
  if (counts.empty())
    counts.push_back(1);
  TileDestination dest = emitDestinations(b, op).front();
  auto task = [&](OpBuilder &, ValueRange positions, ValueRange targets) {
    for (auto [loop, position] : llvm::zip(parallel, positions))
      box.offsets[loop] = position;
    linalg::LinalgOp tile = emitTileOp(b, op, box, {{targets.front(), dest.start}});
    TileBox place = resultBox(b, op, 0, box);
    return SmallVector<TaskPart>{
        {tile->getResult(0), place.offsets, getAsIndexOpFoldResult(b.getContext(), place.sizes)}};
  };
  b.replaceOp(op, emitTaskParts(b, op.getLoc(), counts, ValueRange(dest.tensor), task));
}
