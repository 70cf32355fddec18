//===- LaneBarriers.cpp - barriers between the accesses of lanes ----------===//

#include "LaneBarriers.h"
#include "TilePlaces.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

void SharedAccesses::add(const SharedAccesses &other) {
  readsTiles |= other.readsTiles;
  writesTiles |= other.writesTiles;
  llvm::append_range(readGlobal, other.readGlobal);
  llvm::append_range(writtenGlobal, other.writtenGlobal);
  llvm::append_range(written, other.written);
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

SharedAccesses SharedAccesses::of(Operation *op) {
  SharedAccesses accesses;
  op->walk([&](Operation *inside) {
    if (isa<TileCommitOp, TileWaitOp>(inside))
      return;
    bool isTiled = isOnTiles(inside);
    accesses.readsTiles |= isTiled;
    accesses.writesTiles |= isTiled;
    accesses.addGlobal(inside);
  });
  return accesses;
}

void LaneBarriers::emit() {
  gpu::BarrierOp::create(b);
  since = SharedAccesses();
}

void LaneBarriers::beforeReads() {
  if (since.writesTiles)
    emit();
  since.readsTiles = true;
}
void LaneBarriers::beforeWrites(Value tile) {
  if (since.readsTiles || llvm::is_contained(since.written, tile))
    emit();
  addWrites(tile);
}
void LaneBarriers::addWrites(Value tile) {
  since.writesTiles = true;
  since.written.push_back(tile);
}

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
