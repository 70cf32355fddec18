//===- LaneBarriers.cpp - barriers between the accesses of lanes ----------===//

#include "LaneBarriers.h"
#include "TilePlaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

void SharedAccesses::add(const SharedAccesses &other) {
  llvm::append_range(readTiles, other.readTiles);
  llvm::append_range(writtenTiles, other.writtenTiles);
  llvm::append_range(readGlobal, other.readGlobal);
  llvm::append_range(writtenGlobal, other.writtenGlobal);
}

/// Returns the buffer that the kernel allocates for a tile; null for null.
static Value bufferOf(Value tile) {
  while (auto view = tile ? tile.getDefiningOp<ViewLikeOpInterface>() : ViewLikeOpInterface())
    tile = view.getViewSource();
  return tile;
}

/// Returns whether one of the buffers in `before` may be the buffer of `tile`.
static bool mayBeAmong(ArrayRef<Value> before, Value tile) {
  return llvm::any_of(before, [&](Value other) { return !other || !tile || other == bufferOf(tile); });
}

void SharedAccesses::addGlobal(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface && op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return;
  if (!interface) { // the effects are not known
    readGlobal.push_back(Value());
    writtenGlobal.push_back(Value());
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value buffer = effect.getValue();
    if (buffer && placeOf(buffer))
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      readGlobal.push_back(buffer);
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      writtenGlobal.push_back(buffer);
  }
}

void SharedAccesses::addTiles(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value tile = effect.getValue();
    if (!tile || !isa_and_nonnull<WorkgroupAttr>(placeOf(tile)))
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      readTiles.push_back(bufferOf(tile));
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      writtenTiles.push_back(bufferOf(tile));
  }
}

SharedAccesses SharedAccesses::of(Operation *op) {
  SharedAccesses accesses;
  op->walk([&](Operation *inside) {
    if (isa<TileCommitOp, TileWaitOp>(inside))
      return;
    accesses.addTiles(inside);
    accesses.addGlobal(inside);
    // Warps may exchange results of a reduction along rows through a tile that does not exist yet.
    if (auto generic = dyn_cast<linalg::GenericOp>(inside); generic && generic.getNumReductionLoops() > 0) {
      accesses.readTiles.push_back(Value());
      accesses.writtenTiles.push_back(Value());
    }
  });
  return accesses;
}

void LaneBarriers::emit() {
  gpu::BarrierOp::create(b);
  since = SharedAccesses();
}

void LaneBarriers::beforeReads(ValueRange tiles) {
  if (llvm::any_of(tiles, [&](Value tile) { return mayBeAmong(since.writtenTiles, tile); }))
    emit();
  for (Value tile : tiles)
    since.readTiles.push_back(bufferOf(tile));
}
void LaneBarriers::beforeWrites(Value tile) {
  if (mayBeAmong(since.readTiles, tile) || mayBeAmong(since.writtenTiles, tile))
    emit();
  addWrites(tile);
}
void LaneBarriers::addWrites(Value tile) { since.writtenTiles.push_back(bufferOf(tile)); }

void LaneBarriers::orderGlobal(ValueRange reads, ValueRange writes) {
  auto mayMeet = [&](ArrayRef<Value> before, ValueRange after) {
    return llvm::any_of(before, [&](Value left) {
      return llvm::any_of(after, [&](Value right) { return overlaps.mayOverlap(left, right); });
    });
  };
  if (mayMeet(since.writtenGlobal, reads) || mayMeet(since.writtenGlobal, writes) || mayMeet(since.readGlobal, writes))
    emit();
}

void LaneBarriers::beforeGlobal(ValueRange reads, ValueRange writes) {
  orderGlobal(reads, writes);
  llvm::append_range(since.readGlobal, reads);
  llvm::append_range(since.writtenGlobal, writes);
}
