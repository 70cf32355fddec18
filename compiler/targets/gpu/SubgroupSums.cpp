//===- SubgroupSums.cpp - sums over the threads of a workgroup ------------===//

#include "SubgroupSums.h"

#include "heddle/ForallIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A loop that combines the elements that threads wrote to the buffer `parts`, one element for each thread.
struct SumOfThreads {
  scf::ForOp loop;
  memref::LoadOp load;                 // in the loop, the load of an element of `parts`
  Operation *combiner;                 // in the loop, the operation that combines two elements, such as arith.addf
  gpu::AllReduceOperation kind;        // the equivalent reduction of a sub-group
  memref::AllocOp parts;
  int64_t count;                       // the number of threads that write an element
  SmallVector<memref::StoreOp> stores; // the stores to `parts`
};
} // namespace

/// Returns the reduction of a sub-group that is equivalent to `combiner`, or nullopt if there is none. If all elements
/// are NaN, the maximum of a sub-group is undefined. The result of a softmax with such scores is still right, because
/// the sum of its exponentials is NaN.
static std::optional<gpu::AllReduceOperation> kindOf(Operation *combiner) {
  if (isa<arith::AddFOp>(combiner))
    return gpu::AllReduceOperation::ADD;
  if (isa<arith::MulFOp>(combiner))
    return gpu::AllReduceOperation::MUL;
  if (isa<arith::MaxNumFOp>(combiner))
    return gpu::AllReduceOperation::MAXNUMF;
  if (isa<arith::MinNumFOp>(combiner))
    return gpu::AllReduceOperation::MINNUMF;
  return std::nullopt;
}

/// Returns whether the last index is `last` and all other indices are 0.
template <typename Range> static bool isLast(Range &&indices, Value last) {
  auto list = llvm::to_vector(indices);
  return !list.empty() && OpFoldResult(list.back()) == OpFoldResult(last) &&
         llvm::all_of(ArrayRef(list).drop_back(), [](auto index) { return isZeroInteger(index); });
}

/// Returns whether a single loop over threads, before the loop of `sum`, writes the buffer `parts`, each thread writes
/// only its own element, and no other operation uses the buffer. Sets `stores`.
static bool findStores(SumOfThreads &sum) {
  scf::ForallOp writer;
  for (Operation *user : sum.parts->getUsers()) {
    if (user == sum.load)
      continue;
    auto part = dyn_cast<memref::SubViewOp>(user);
    auto forall = part ? part->getParentOfType<scf::ForallOp>() : nullptr;
    if (!forall || (writer && writer != forall) || forall.getRank() != 1 ||
        getFixedExtents(forall) != SmallVector<int64_t>{sum.count} ||
        !isLast(part.getMixedOffsets(), forall.getInductionVar(0)))
      return false;
    writer = forall;
    for (Operation *inside : part->getUsers()) {
      auto store = dyn_cast<memref::StoreOp>(inside);
      if (!store || store->getParentOp() != forall)
        return false;
      sum.stores.push_back(store);
    }
  }
  return writer && writer->getBlock() == sum.loop->getBlock() && writer->isBeforeInBlock(sum.loop);
}

/// Returns the description of a loop that sumInSubgroups can replace, or nullopt for any other loop.
static std::optional<SumOfThreads> match(scf::ForOp loop, int64_t threads) {
  Block &body = *loop.getBody();
  if (loop->getParentOfType<scf::ForallOp>() || loop.getNumResults() != 1 || !loop.getResultTypes()[0].isF32() ||
      !isZeroInteger(loop.getLowerBound()) || !isOneInteger(loop.getStep()) || !llvm::hasNItems(body, 3))
    return std::nullopt;
  auto load = dyn_cast<memref::LoadOp>(body.front());
  Operation *combiner = body.front().getNextNode();
  auto kind = kindOf(combiner);
  std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
  auto parts = load ? load.getMemRef().getDefiningOp<memref::AllocOp>() : nullptr;
  if (!parts || !kind || !count || *count > threads || !isLast(load.getIndices(), loop.getInductionVar()) ||
      !parts.getType().hasStaticShape() || parts.getType().getNumElements() != *count ||
      body.getTerminator()->getOperand(0) != combiner->getResult(0))
    return std::nullopt;
  Value carried = loop.getRegionIterArg(0), read = load.getResult();
  ValueRange joined = combiner->getOperands();
  if (!(joined[0] == carried && joined[1] == read) && !(joined[0] == read && joined[1] == carried))
    return std::nullopt;
  SumOfThreads sum{loop, load, combiner, *kind, parts, *count, {}};
  return findStores(sum) ? std::optional(sum) : std::nullopt;
}

/// Emits the number of sub-groups. The number that the device reports may be too small, since Mesa's llvmpipe (22.3)
/// does not count a sub-group that is not full. So the result is the maximum of the reported number and the number of
/// sub-groups if all of them but the last are full.
static Value countSubgroups(OpBuilder &b, Location loc, int64_t threads) {
  Value all = arith::ConstantIndexOp::create(b, loc, threads);
  Value least = arith::CeilDivUIOp::create(b, loc, all, gpu::SubgroupSizeOp::create(b, loc, IntegerAttr()));
  return arith::MaxUIOp::create(b, loc, least, gpu::NumSubgroupsOp::create(b, loc, IntegerAttr()));
}

namespace {
/// The sub-groups of a workgroup.
struct Subgroups {
  Value isFirst; // whether the executing thread stores the result of its sub-group
  Value number;  // the index of the executing thread's sub-group, or null if the width of sub-groups is not known
  Value count;   // the number of sub-groups, or null if the width of sub-groups is not known
  int64_t most;  // the maximum number of sub-groups
};
} // namespace

/// Returns the sub-groups for a known width. All sub-groups are full and consist of neighbouring threads.
static Subgroups findFull(OpBuilder &b, Location loc, Value thread, int64_t threads, int64_t width) {
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  int64_t count = threads / width;
  Value lane = arith::RemUIOp::create(b, loc, thread, index(width));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0));
  return {isFirst, arith::DivUIOp::create(b, loc, thread, index(width)), index(count), count};
}

/// Returns the sub-groups for a width that is known only at run time. Any set of threads may form a sub-group, and
/// there may be as many sub-groups as threads. The first thread of a sub-group is the thread with the smallest lane.
static Subgroups findAny(OpBuilder &b, Location loc, int64_t threads) {
  Value lane = arith::IndexCastOp::create(b, loc, b.getI32Type(), gpu::LaneIdOp::create(b, loc, IntegerAttr()));
  Value first = gpu::SubgroupReduceOp::create(b, loc, lane, gpu::AllReduceOperation::MINUI, /*uniform=*/false);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, first);
  return {isFirst, Value(), Value(), threads};
}

/// Replaces the loop of `sum` by a reduction of each sub-group and a loop over the results of all sub-groups. Returns
/// the store of a sub-group's result.
static memref::StoreOp apply(SumOfThreads &sum, FunctionOpInterface kernel, Value thread, int64_t threads,
                             int64_t width) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getFunctionBody().front());
  Location loc = sum.loop.getLoc();
  Type type = sum.loop.getResultTypes()[0];
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  Value own = memref::AllocaOp::create(b, loc, MemRefType::get({1}, type));
  for (memref::StoreOp store : sum.stores) {
    b.setInsertionPoint(store);
    memref::StoreOp::create(b, loc, store.getValue(), own, index(0));
    Operation *part = store.getMemRef().getDefiningOp();
    store.erase();
    if (part->use_empty())
      part->erase();
  }
  b.setInsertionPoint(sum.loop);
  Value zero = index(0), value = memref::LoadOp::create(b, loc, own, zero);
  if (sum.count < threads) {
    Value wrote = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, index(sum.count));
    Value neutral = arith::ConstantOp::create(b, loc, *arith::getNeutralElement(sum.combiner));
    value = arith::SelectOp::create(b, loc, wrote, value, neutral);
  }
  Value ofSubgroup = gpu::SubgroupReduceOp::create(b, loc, value, sum.kind, /*uniform=*/false);
  Subgroups subgroups = width ? findFull(b, loc, thread, threads, width) : findAny(b, loc, threads);
  Value shared = memref::AllocOp::create(b, loc, MemRefType::get({subgroups.most}, type));
  gpu::BarrierOp::create(b, loc);
  auto guarded = scf::IfOp::create(b, loc, subgroups.isFirst);
  gpu::BarrierOp::create(b, loc);
  sum.loop.setUpperBound(width ? subgroups.count : countSubgroups(b, loc, threads));
  b.setInsertionPoint(guarded.thenBlock()->getTerminator());
  Value subgroup = width ? subgroups.number : gpu::SubgroupIdOp::create(b, loc, IntegerAttr());
  auto store = memref::StoreOp::create(b, loc, ofSubgroup, shared, subgroup);
  b.setInsertionPoint(sum.load);
  Value next = memref::LoadOp::create(b, loc, shared, sum.loop.getInductionVar());
  sum.load.replaceAllUsesWith(next);
  sum.load.erase();
  sum.parts.erase();
  return store;
}

SmallVector<memref::StoreOp> heddle::sumInSubgroups(FunctionOpInterface kernel, Value thread, int64_t threads,
                                                    int64_t width) {
  SmallVector<SumOfThreads> sums;
  kernel.walk([&](scf::ForOp loop) {
    if (std::optional<SumOfThreads> sum = match(loop, threads))
      sums.push_back(*sum);
  });
  SmallVector<memref::StoreOp> stores;
  for (SumOfThreads &sum : sums)
    stores.push_back(apply(sum, kernel, thread, threads, width));
  return stores;
}
