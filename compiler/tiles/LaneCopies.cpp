//===- LaneCopies.cpp - copies of tiles into workgroup memory -------------===//
//
// The threads of a workgroup share the chunks of a tile: thread t copies the
// chunks t, t + threads, ... A chunk consists of adjacent elements of a row.
//
// Async copies of the device move 4, 8 or 16 bytes and cannot convert elements.
// An async copy of tiles that converts elements, or whose chunks are narrower,
// becomes loads into registers and stores. In a loop, the stores follow the
// products of the step, so that no product waits for the loads.
//
//===----------------------------------------------------------------------===//

#include "Divisors.h"
#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/TileMemory.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A chunk that a thread copies. Its elements are either all valid or all invalid.
struct Chunk {
  Value row, column; // the position of its first element in the tile
  TileElement first; // the same position, as a shift from the thread's first chunk if it is the same in all threads
  int64_t number;    // the index of the chunk among the chunks of this thread
  int64_t width;     // the number of its elements
  Value exists;      // whether the thread has this chunk; null if all threads have it
  Value isValid;     // whether the source has the chunk; null if it is known that it has
};

/// Emits the chunks of one copy, and accesses to its source.
class CopyCode {
public:
  CopyCode(ImplicitLocOpBuilder &b, TileCopyOp op, Value thread, int64_t threads, bool pointers);

  /// Returns whether rows can be copied in chunks of `width` elements: each chunk must be aligned in the source, and
  /// its elements must be all valid or all invalid.
  bool fits(int64_t width) const;
  /// Emits the chunks of a thread, of `width` elements each.
  SmallVector<Chunk> emitChunks(int64_t width);
  /// Emits the buffer and the indices of the first element of a chunk in the source.
  std::pair<Value, SmallVector<Value>> emitSource(const Chunk &chunk);

private:
  ImplicitLocOpBuilder &b;
  MemRefType tile;
  Value thread;
  int64_t threads;
  bool pointers;                 // see LaneFacts
  GlobalPart source;             // begins at the position that is copied
  Value validRows, validColumns; // null if all rows, or columns, are valid
  // If successive chunks of a thread are whole rows apart: a view of the source that begins at the thread's first
  // chunk, and the number of rows from one chunk to the next.
  Value view;
  int64_t rowsBetween = 0;
};

} // namespace

CopyCode::CopyCode(ImplicitLocOpBuilder &b, TileCopyOp op, Value thread, int64_t threads, bool pointers)
    : b(b), tile(cast<MemRefType>(op.getTile().getType())), thread(thread), threads(threads), pointers(pointers),
      source(GlobalPart::of(b, op.getSource())) {
  source.offsets = source.emitIndices(b, op.getIndices());
  if (op.getValid().empty())
    return;
  validRows = emitEnd(b, op.getValid()[0], tile.getDimSize(0));
  validColumns = emitEnd(b, op.getValid()[1], tile.getDimSize(1));
}

bool CopyCode::fits(int64_t width) const {
  return tile.getDimSize(1) % width == 0 && source.isAligned(width) &&
         (!validColumns || isMultiple(validColumns, width));
}

/// Emits the positions of a thread's chunks of `width` elements in a tile.
static SmallVector<Chunk> emitPositions(ImplicitLocOpBuilder &b, MemRefType tile, Value thread, int64_t threads,
                                        int64_t width) {
  int64_t across = tile.getDimSize(1) / width, count = tile.getDimSize(0) * across;
  auto apply = [&](AffineExpr expr) -> Value {
    return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(1, 0, expr), {OpFoldResult(thread)});
  };
  SmallVector<Chunk> chunks;
  for (int64_t first = 0; first < count; first += threads) {
    AffineExpr place = b.getAffineDimExpr(0) + first;
    Chunk &chunk = chunks.emplace_back();
    chunk.row = apply(place.floorDiv(across));
    chunk.column = apply(place % across * width);
    chunk.number = first / threads;
    chunk.first = {chunk.row, chunk.column};
    if (threads % across == 0)
      chunk.first = {chunks.front().row, chunks.front().column, first / across};
    chunk.width = width;
    if (count - first < threads)
      chunk.exists = emitLess(b, thread, arith::ConstantIndexOp::create(b, count - first));
  }
  return chunks;
}

SmallVector<Chunk> CopyCode::emitChunks(int64_t width) {
  SmallVector<Chunk> chunks = emitPositions(b, tile, thread, threads, width);
  for (Chunk &chunk : chunks) {
    if (validRows)
      chunk.isValid = emitLess(b, chunk.row, validRows);
    if (validColumns) {
      Value inRow = emitLess(b, chunk.column, validColumns);
      chunk.isValid = chunk.isValid ? Value(arith::AndIOp::create(b, chunk.isValid, inRow)) : inRow;
    }
  }
  int64_t across = tile.getDimSize(1) / width;
  if (pointers && threads % across == 0 && source.isAligned(width)) {
    view = source.emitView(b, chunks.front().row, chunks.front().column, tile.getDimSize(0), width);
    rowsBetween = threads / across;
  }
  return chunks;
}

std::pair<Value, SmallVector<Value>> CopyCode::emitSource(const Chunk &chunk) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
  // Upstream does not fold a reshape into an async copy, so chunks of a reshaped buffer are views of the whole buffer.
  if (pointers && !view && source.isAligned(1) && source.buffer.getDefiningOp<ViewLikeOpInterface>())
    return {source.emitView(b, chunk.row, chunk.column, 1, chunk.width), {constant(0), constant(0)}};
  if (!view)
    return {source.buffer, source.emitIndices(b, {chunk.row, chunk.column})};
  return {view, {constant(chunk.number * rowsBetween), constant(0)}};
}

Value heddle::emitConverted(ImplicitLocOpBuilder &b, Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? Type(vector.clone(element)) : element;
  if (type == value.getType())
    return value;
  int64_t from = getElementTypeOrSelf(value).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  if (from == to) // bf16 and f16
    return emitConverted(b, emitConverted(b, value, b.getF32Type()), element);
  return from < to ? Value(arith::ExtFOp::create(b, type, value)) : Value(arith::TruncFOp::create(b, type, value));
}

/// Loads the chunks. `element` is the type of the source's elements. All loads precede the uses of the values, so that
/// the loads overlap.
static SmallVector<Value> loadChunks(LaneCode &code, ImplicitLocOpBuilder &b, CopyCode &copy, Type element,
                                     int64_t width) {
  Type type = width > 1 ? Type(VectorType::get({width}, element)) : element;
  return llvm::map_to_vector(copy.emitChunks(width), [&](const Chunk &chunk) {
    Value isRead = chunk.exists && chunk.isValid ? Value(arith::AndIOp::create(b, chunk.exists, chunk.isValid))
                   : chunk.exists                ? chunk.exists
                                                 : chunk.isValid;
    return code.emitIf(isRead, type, [&]() -> Value {
      auto [buffer, at] = copy.emitSource(chunk);
      return width > 1 ? Value(vector::LoadOp::create(b, cast<VectorType>(type), buffer, at))
                       : Value(memref::LoadOp::create(b, buffer, at));
    });
  });
}

/// Converts the values of a thread's chunks to the element type of the tile and stores them. For `rowsApart`, see
/// emitTileIndices; for `pointers`, see LaneFacts.
static void storeChunks(LaneCode &code, ImplicitLocOpBuilder &b, Value tile, int64_t rowsApart, bool pointers,
                        ArrayRef<Chunk> chunks, ArrayRef<Value> values) {
  auto type = cast<MemRefType>(tile.getType());
  for (auto [chunk, value] : llvm::zip_equal(chunks, values))
    code.emitIf(chunk.exists, Type(), [&, &chunk = chunk, value = value]() -> Value {
      Value converted = emitConverted(b, value, type.getElementType());
      // Single elements are so many that the addresses of views would take too many registers.
      TileAccess at = emitTileAccess(b, tile, rowsApart, chunk.first, pointers && chunk.width > 1);
      if (isa<VectorType>(converted.getType()))
        vector::StoreOp::create(b, converted, at.buffer, at.indices);
      else
        memref::StoreOp::create(b, converted, at.buffer, at.indices);
      return {};
    });
}

/// If the copy is in the step of a loop, possibly under a condition, and products but no wait follow in the same step,
/// returns the body of the loop; otherwise returns null.
static Block *findStep(TileCopyOp op) {
  Block *block = op->getBlock();
  if (auto branch = dyn_cast<scf::IfOp>(block->getParentOp()); branch && branch.getNumResults() == 0 && block == branch.thenBlock())
    block = branch->getBlock();
  if (!isa<scf::ForOp>(block->getParentOp()))
    return nullptr;
  bool hasProducts = false;
  for (Operation *next = block->findAncestorOpInBlock(*op); next; next = next->getNextNode()) {
    if (next->walk([](TileWaitOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return nullptr;
    hasProducts |= isa<linalg::MatmulOp>(next);
  }
  return hasProducts ? block : nullptr;
}

/// Stores the elements that async copies in this step of a loop have loaded.
void LaneCode::storeLoaded(Block &step) {
  for (LoadedCopy &copy : loaded) {
    if (copy.step != &step)
      continue;
    b.setInsertionPoint(step.getTerminator());
    b.setLoc(copy.op.getLoc());
    auto branch = dyn_cast<scf::IfOp>(copy.op->getParentOp());
    emitIf(branch ? branch.getCondition() : Value(), Type(), [&]() -> Value {
      // The stage of the tile may be computed in the branch, and is computed once more.
      BackwardSliceOptions options;
      options.inclusive = true;
      options.omitBlockArguments = true;
      options.filter = [&](Operation *op) { return op->getBlock() == copy.op->getBlock() && op->getBlock() != &step; };
      SetVector<Operation *> needed;
      (void)getBackwardSlice(findWorkgroupTile(copy.op.getTile()), &needed, options);
      IRMapping mapping;
      for (Operation *op : topologicalSort(needed))
        b.clone(*op, mapping);
      Value tile = mapping.lookupOrDefault(findWorkgroupTile(copy.op.getTile()));
      auto type = cast<MemRefType>(tile.getType());
      SmallVector<Chunk> chunks = emitPositions(b, type, thread, facts.threads, copy.width);
      SmallVector<Value> values = llvm::map_to_vector(copy.chunks, [&](Value elements) -> Value {
        Type element = getElementTypeOrSelf(elements);
        if (copy.width == 1)
          return load(elements, 0);
        return vector::LoadOp::create(b, VectorType::get({copy.width}, element), elements, ValueRange{constant(0)});
      });
      storeChunks(*this, b, tile, findRowsApart(tile), facts.pointers, chunks, values);
      return {};
    });
  }
  llvm::erase_if(loaded, [&](const LoadedCopy &copy) { return copy.step == &step; });
}

/// Begins async copies of the chunks. For a chunk that is not valid, the copy reads no elements and writes zeros.
static void copyAsync(LaneCode &code, ImplicitLocOpBuilder &b, Value tile, int64_t rowsApart, CopyCode &copy,
                      int64_t width) {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  auto type = cast<MemRefType>(tile.getType());
  int64_t bits = width * type.getElementTypeBitWidth();
  // Bypass L1, where tiles need not be kept. Only copies of 16 bytes can do this.
  UnitAttr past = bits == FragmentKind::widestAccess ? b.getUnitAttr() : UnitAttr();
  for (const Chunk &chunk : copy.emitChunks(width)) {
    Value elements;
    if (chunk.isValid)
      elements = arith::SelectOp::create(b, chunk.isValid, Value(arith::ConstantIndexOp::create(b, width)),
                                         Value(arith::ConstantIndexOp::create(b, 0)));
    code.emitIf(chunk.exists, Type(), [&]() -> Value {
      auto [buffer, at] = copy.emitSource(chunk);
      TileAccess target = emitTileAccess(b, tile, rowsApart, chunk.first, /*pointers=*/true);
      nvgpu::DeviceAsyncCopyOp::create(b, token, target.buffer, target.indices, buffer, at, b.getIndexAttr(width),
                                       elements, past);
      return {};
    });
  }
}

LogicalResult LaneCode::copy(TileCopyOp op) {
  auto type = cast<MemRefType>(op.getTile().getType());
  if (isa_and_nonnull<FragmentsAttr>(placeOf(op.getTile())))
    return copyToRegisters(op);
  Value tile = findWorkgroupTile(op.getTile());
  if (!tile)
    return op.emitError("expects a whole tile in workgroup memory as destination, found ") << type;
  if (placeOf(op.getSource()))
    return op.emitError("expects a source in global memory, found ") << op.getSource().getType();
  if (!op.getAsync())
    barriers.beforeGlobal(/*reads=*/op.getSource(), /*writes=*/{});
  else // a later write to the source comes after the tile_wait of this copy, so it needs no barrier
    barriers.orderGlobal(/*reads=*/op.getSource(), /*writes=*/{});
  copyHoldsRegisters |= !op.getValid().empty();
  CopyCode code(b, op, thread, facts.threads, facts.pointers);
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  // Lanes load neighbouring chunks. Wider chunks, which take several loads, would lie apart in each of these loads.
  int64_t bits = type.getElementTypeBitWidth();
  int64_t width = FragmentKind::widestAccess / std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
  while (width > 1 && !code.fits(width))
    width /= 2;
  // An async copy moves 4, 8 or 16 bytes and cannot convert elements.
  if (op.getAsync() && width * bits >= 32 && element == type.getElementType()) {
    copyAsync(*this, b, tile, findRowsApart(tile), code, width);
    return success();
  }
  isCopiedByElement |= width == 1;
  SmallVector<Value> values = loadChunks(*this, b, code, element, width);
  if (Block *step = op.getAsync() ? findStep(op) : nullptr) {
    LoadedCopy &copy = loaded.emplace_back(LoadedCopy{op, step, width, {}});
    copyHoldsRegisters = true;
    for (Value value : values) {
      copy.chunks.push_back(emitPrivate(width, element));
      if (width == 1)
        store(value, copy.chunks.back(), 0);
      else
        vector::StoreOp::create(b, value, copy.chunks.back(), ValueRange{constant(0)});
    }
    return success();
  }
  // Stores that take the place of an async copy are complete at the barrier of the next tile_wait.
  if (!op.getAsync())
    barriers.beforeWrites(tile);
  storeChunks(*this, b, tile, findRowsApart(tile), facts.pointers, emitPositions(b, type, thread, facts.threads, width),
              values);
  return success();
}
