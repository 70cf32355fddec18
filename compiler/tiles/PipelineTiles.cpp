//===- PipelineTiles.cpp - copies of later steps while a step computes ----===//
//
// A loop with the annotation heddle.stages copies tiles into the memory of a
// workgroup and computes with them. The annotation is a number, `stages`. This
// pass gives each tile `stages` buffers, which successive steps use in turn.
// The tiles of a step are copied `stages` - 1 steps before the step computes
// with them. Upstream's loop pipelining moves the copies; this pass decides
// which operations belong to them. The operations in the result are still those
// of a whole workgroup; TilesToLanes.cpp distributes them over lanes.
//
//===----------------------------------------------------------------------===//

#include "TilePlaces.h"

#include "heddle/Passes.h"

#include "Notes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_PIPELINETILES
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// Pipelines one loop.
class TilePipeline {
public:
  TilePipeline(IRRewriter &b, scf::ForOp loop, int64_t stages)
      : b(b), loop(loop), loc(loop.getLoc()), stages(stages), copies(loop.getBody()->getOps<TileCopyOp>()) {}
  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult checkCopy(TileCopyOp copy);
  void addBuffers();
  scf::IfOp separateCopies();

  IRRewriter &b;
  scf::ForOp loop;
  Location loc;
  int64_t stages;
  SmallVector<TileCopyOp> copies;
};

struct PipelineTiles : heddle::impl::PipelineTilesBase<PipelineTiles> {
  void runOnOperation() override;
};

} // namespace

/// Returns the operations of the loop's body, in order, that compute the operands of the copy.
static SetVector<Operation *> findIndices(TileCopyOp copy) {
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == copy->getBlock(); };
  options.omitBlockArguments = true;
  SetVector<Operation *> slice;
  (void)getBackwardSlice(copy.getOperation(), &slice, options);
  return slice;
}

/// Checks that the copy can take place in an earlier step: its tile may be accessed only in the loop, and in each step
/// only after the copy, and the operands of the copy must depend neither on memory nor on values that the loop carries.
LogicalResult TilePipeline::checkCopy(TileCopyOp copy) {
  auto alloc = copy.getTile().getDefiningOp<memref::AllocOp>();
  if (!alloc || !isa_and_nonnull<WorkgroupAttr>(placeOf(alloc)))
    return copy.emitError("has stages, but its target is not a whole tile in workgroup memory");
  for (Operation *user : alloc->getUsers()) {
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
    if (!inBody || (inBody != copy && !copy->isBeforeInBlock(inBody)))
      return user->emitError(
          "accesses a tile with stages before the loop's step has copied it, or outside of the loop");
  }
  for (Operation *op : findIndices(copy))
    if (op != alloc && !isPure(op))
      return op->emitError("accesses memory, but the position of a copy in a loop with stages depends on it, which is not "
                           "supported");
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (llvm::any_of(findIndices(copy),
                     [&](Operation *op) { return llvm::is_contained(op->getOperands(), carried); }) ||
        llvm::is_contained(copy->getOperands(), carried))
      return copy.emitError("has stages, but depends on the step before");
  return success();
}

/// Checks the copies, and that the loop writes to nothing but tiles: a copy may then read its source earlier.
LogicalResult TilePipeline::check() {
  if (copies.empty())
    return loop.emitError("has stages, but copies no tile");
  if (getConstantIntValue(loop.getStep()).value_or(0) <= 0)
    return loop.emitError("has stages, but its step is not a positive constant");
  for (TileCopyOp copy : copies)
    if (failed(checkCopy(copy)))
      return failure();
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isa<TileCommitOp, TileWaitOp>(op))
      return WalkResult::advance();
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
    bool onlyTiles =
        effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
          return !isa<MemoryEffects::Write>(effect.getEffect()) || (effect.getValue() && placeOf(effect.getValue()));
        });
    return onlyTiles
               ? WalkResult::skip()
               : WalkResult(op->emitError("writes to memory in a loop with stages, which must write only to tiles"));
  });
  return failure(walk.wasInterrupted());
}

/// Replaces each tile by a buffer with a leading dimension of `stages`.
void TilePipeline::addBuffers() {
  for (TileCopyOp copy : copies) {
    auto alloc = copy.getTile().getDefiningOp<memref::AllocOp>();
    alloc->moveBefore(loop);
    FailureOr<memref::AllocOp> buffers = memref::multiBuffer(b, alloc, stages, /*skipOverrideAnalysis=*/true);
    assert(succeeded(buffers) && "the tile is accessed in this loop only");
    (void)buffers;
  }
}

/// Moves the copies, and the operations that compute their operands, into a branch, which can then be moved to an
/// earlier step as a whole. The branch has a constant condition.
scf::IfOp TilePipeline::separateCopies() {
  b.setInsertionPoint(loop);
  Value always = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  b.setInsertionPoint(copies.front());
  for (TileCopyOp copy : copies)
    if (copy->isBeforeInBlock(&*b.getInsertionPoint()))
      b.setInsertionPoint(copy);
  auto branch = scf::IfOp::create(b, loc, always, /*withElseRegion=*/false);
  SetVector<Operation *> needed;
  for (TileCopyOp copy : copies) {
    needed.insert_range(findIndices(copy));
    needed.insert(copy);
  }
  SmallVector<Operation *> ordered = topologicalSort(needed).takeVector();
  b.setInsertionPoint(branch.thenYield());
  IRMapping mapping;
  for (Operation *op : ordered) {
    Operation *clone = b.clone(*op, mapping);
    if (auto copy = dyn_cast<TileCopyOp>(clone))
      copy.setAsync(true);
  }
  for (TileCopyOp copy : copies)
    b.eraseOp(copy);
  for (Operation *op : llvm::reverse(ordered))
    if (!llvm::is_contained(copies, op) && isOpTriviallyDead(op))
      b.eraseOp(op);
  return branch;
}

LogicalResult TilePipeline::run() {
  if (failed(check()))
    return failure();
  addBuffers();
  scf::IfOp branch = separateCopies();
  b.setInsertionPointAfter(branch);
  auto commit = TileCommitOp::create(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  // When step i begins, the groups of steps 0 to i + stages - 2 are committed, and group i must be complete.
  auto wait = TileWaitOp::create(b, loc, stages - 2);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
    schedule = {{wait, stages - 1}, {branch, 0}, {commit, 0}};
    for (Operation &op : loop.getBody()->without_terminator())
      if (&op != wait && &op != branch && &op != commit)
        schedule.push_back({&op, stages - 1});
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  // The last steps copy nothing, but still commit a group, so that each wait is for the same number of groups.
  options.predicateFn = [](RewriterBase &, Operation *op, Value exists) {
    if (auto copied = dyn_cast<scf::IfOp>(op))
      copied.getConditionMutable().assign(exists);
    return op;
  };
  b.setInsertionPoint(loop);
  if (loop->getParentOfType<LoopLikeOpInterface>()) // the tiles may still be read by the last step of an earlier loop
    TileWaitOp::create(b, loc, 0);
  if (failed(scf::pipelineForLoop(b, loop, options)))
    return loop.emitError("has stages, but yields a value that its step does not compute");
  return success();
}

void PipelineTiles::runOnOperation() {
  SmallVector<std::pair<scf::ForOp, int64_t>> loops;
  WalkResult walk = getOperation()->walk([&](LoopLikeOpInterface loop) {
    std::optional<int64_t> stages = notes::stages.get(loop);
    if (!stages)
      return WalkResult::advance();
    auto counted = dyn_cast<scf::ForOp>(*loop);
    if (!counted || *stages < 1)
      return WalkResult(loop->emitError("expects an scf.for with a positive number of stages"));
    notes::stages.remove(loop);
    if (*stages > 1)
      loops.push_back({counted, *stages});
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return signalPassFailure();
  IRRewriter b(&getContext());
  for (auto [loop, stages] : loops)
    if (failed(TilePipeline(b, loop, stages).run()))
      return signalPassFailure();
}
