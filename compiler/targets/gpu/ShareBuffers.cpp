//===- ShareBuffers.cpp - sharing of workgroup memory ---------------------===//

#include "ShareBuffers.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The first and the last use of a buffer. For a use in a nested region, the operation that contains the region counts.
/// So both operations are in the block that allocates the buffer.
struct Lifetime {
  memref::AllocOp alloc;
  Operation *first, *last;
};
} // namespace

/// Extends a lifetime to all uses of a buffer and of its views. Fails if some uses are not known, because a terminator
/// or an operation other than a view passes the buffer on.
static LogicalResult addUses(Lifetime &life, Value buffer) {
  Block *block = life.alloc->getBlock();
  for (Operation *user : buffer.getUsers()) {
    Operation *at = block->findAncestorOpInBlock(*user);
    if (!at || user->hasTrait<OpTrait::IsTerminator>())
      return failure();
    if (!life.first || at->isBeforeInBlock(life.first))
      life.first = at;
    if (!life.last || life.last->isBeforeInBlock(at))
      life.last = at;
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()) && (!isa<ViewLikeOpInterface>(user) || failed(addUses(life, result))))
        return failure();
  }
  return success();
}

/// Returns whether some use of `other` may lie between the first and the last use of `life`.
static bool isDuring(Lifetime life, Lifetime other) {
  Operation *at = life.alloc->getBlock()->findAncestorOpInBlock(*other.first);
  Operation *end = life.alloc->getBlock()->findAncestorOpInBlock(*other.last);
  return at && !end->isBeforeInBlock(life.first) && !life.last->isBeforeInBlock(at);
}

static bool overlap(Lifetime left, Lifetime right) { return isDuring(left, right) || isDuring(right, left); }

SmallVector<memref::AllocOp> heddle::shareBuffers(ArrayRef<memref::AllocOp> allocs) {
  SmallVector<SmallVector<Lifetime>> groups; // each group becomes one buffer
  SmallVector<memref::AllocOp> left; // the buffers that remain
  for (memref::AllocOp alloc : allocs) {
    Lifetime life = {alloc, nullptr, nullptr};
    if (failed(addUses(life, alloc)) || !life.first) {
      left.push_back(alloc);
      continue;
    }
    auto fits = [&](ArrayRef<Lifetime> group) {
      memref::AllocOp first = group.front().alloc;
      return first.getType() == alloc.getType() &&
             llvm::none_of(group, [&](Lifetime other) { return overlap(life, other); });
    };
    auto *group = llvm::find_if(groups, fits);
    if (group == groups.end())
      group = &groups.emplace_back();
    group->push_back(life);
  }
  for (ArrayRef<Lifetime> group : groups) {
    memref::AllocOp shared = group.front().alloc;
    left.push_back(shared);
    if (group.size() == 1)
      continue;
    // Move the shared buffer to a block that contains all buffers of the group.
    Block *top = shared->getBlock();
    for (Lifetime life : group)
      while (!top->findAncestorOpInBlock(*life.alloc))
        top = top->getParentOp()->getBlock();
    shared->moveBefore(&top->front());
    for (Lifetime life : group.drop_front()) {
      life.alloc.replaceAllUsesWith(shared.getResult());
      life.alloc.erase();
    }
  }
  return left;
}
