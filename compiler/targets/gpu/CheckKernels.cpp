//===- CheckKernels.cpp - refuses kernels that devices cannot run ---------===//

#include "CheckKernels.h"

#include "Sizes.h"

#include "tiles/TilePlaces.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::checkBuffers(LaunchOp launch, const Sizes &sizes) {
  for (Value buffer : launch.getCaptures()) {
    int64_t elements = 1; // the maximum, at the largest sizes
    for (int64_t extent : cast<MemRefType>(buffer.getType()).getShape())
      if (llvm::MulOverflow(elements, sizes.of(extent).high(), elements))
        elements = INT64_MAX;
    if (elements > INT32_MAX)
      return launch.emitError("a buffer has ")
             << elements << " elements, but kernels of a device support at most " << INT32_MAX;
  }
  return success();
}

LogicalResult heddle::checkWrites(func::FuncOp kernel) {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<scf::ForallOp>(op))
      return WalkResult::skip();
    if (isa<memref::StoreOp, vector::TransferWriteOp>(op) || !hasEffect<MemoryEffects::Write>(op))
      return WalkResult::advance();
    op->emitOpError("writes to memory outside of loops over threads, where every thread would execute the write");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult heddle::checkBesideTiles(func::FuncOp kernel) {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isOnTiles(op))
      return WalkResult::skip();
    if (isa<scf::ForallOp>(op))
      return WalkResult(op->emitError("a kernel that has tiles must not contain a loop over threads"));
    if (isa<memref::AllocOp>(op) && !placeOf(op->getResult(0)))
      return WalkResult(op->emitError("a kernel that has tiles must not allocate a buffer that is not a tile"));
    if (hasEffect<MemoryEffects::Write>(op))
      return WalkResult(op->emitError("in a kernel that has tiles, only operations on tiles may write to memory: every "
                                      "thread would execute this write"));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
