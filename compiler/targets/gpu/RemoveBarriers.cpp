//===- RemoveBarriers.cpp - removes redundant barriers --------------------===//

#include "RemoveBarriers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

/// Returns whether the operation is known to access no memory that threads share: a load from a private buffer, or a
/// reduction over a sub-group, which exchanges values in registers.
static bool isOfOneThread(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef().getDefiningOp<memref::AllocaOp>() != nullptr;
  return isa<gpu::SubgroupReduceOp>(op);
}

/// Removes redundant barriers of a block and of the blocks inside it. `waited` means that no access to memory that
/// threads share lies between the last barrier, or the start of the kernel, and the block.
static void removeBarriers(Block &block, bool waited) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inside : region)
        removeBarriers(inside, /*waited=*/false);
    if (isa<gpu::BarrierOp>(op)) {
      if (waited)
        op.erase();
      waited = true;
    } else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp, memref::AllocaOp>(op) && !isOfOneThread(&op)) {
      waited = false;
    }
  }
}

void heddle::removeBarriers(Block &body) { ::removeBarriers(body, /*waited=*/true); }
