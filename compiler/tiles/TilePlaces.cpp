//===- TilePlaces.cpp - which operations work on tiles --------------------===//

#include "TilePlaces.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Returns the tensor whose memory the value is computed in, one step closer to its allocation; null if there is none.
static Value computedIn(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? init->get() : Value();
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getTiedLoopInit(result)->get();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getSource();
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return slice.getDest();
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return destination ? destination.getTiedOpOperand(result)->get() : Value();
}

/// Returns `space` if it is a place of tiles, else null.
static Attribute asPlace(Attribute space) {
  return isa_and_nonnull<WorkgroupAttr, FragmentsAttr>(space) ? space : Attribute();
}

Attribute heddle::placeOf(Value value) {
  if (auto buffer = dyn_cast<MemRefType>(value.getType()))
    return asPlace(buffer.getMemorySpace());
  if (!isa<RankedTensorType>(value.getType()))
    return {};
  for (; value; value = computedIn(value))
    if (auto alloc = value.getDefiningOp<bufferization::AllocTensorOp>())
      return asPlace(alloc.getMemorySpaceAttr());
  return {};
}

bool heddle::isOnTiles(Operation *op) {
  return isa<TileCommitOp, TileWaitOp>(op) ||
         llvm::any_of(op->getOperands(), [](Value operand) { return bool(placeOf(operand)); });
}

/// Returns the place of the tile that the op allocates; null for other ops.
static Attribute allocatedPlace(Operation *op) {
  return isa<memref::AllocOp, bufferization::AllocTensorOp>(op) ? placeOf(op->getResult(0)) : Attribute();
}

bool heddle::holdsTiles(Operation *op) {
  return op
      ->walk([](Operation *inside) { return allocatedPlace(inside) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

FailureOr<int64_t> heddle::countTileThreads(Operation *op) {
  int64_t threads = 0;
  WalkResult walk = op->walk([&](Operation *inside) {
    auto place = dyn_cast_or_null<FragmentsAttr>(allocatedPlace(inside));
    if (!place)
      return WalkResult::advance();
    if (threads && threads != place.countThreads())
      return WalkResult(inside->emitError("is distributed over ")
                        << place.countThreads() << " threads, and another tile over " << threads);
    threads = place.countThreads();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return threads;
}
