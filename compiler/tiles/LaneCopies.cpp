//===- LaneCopies.cpp - copies of tiles into workgroup memory -------------===//
//
// The threads of a workgroup share the chunks of a tile: thread t copies the
// chunks t, t + threads, ... A chunk consists of adjacent elements of a row.
//
//===----------------------------------------------------------------------===//

#include "Divisors.h"
#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/FragmentCode.h"
#include "kinds/TileMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A chunk that a thread copies. Its elements are either all valid or all invalid.
struct Chunk {
  Value row, column; // the position of its first element in the tile
  int64_t number;    // the index of the chunk among the chunks of this thread
  Value exists;      // whether the thread has this chunk; null if all threads have it
  Value isValid;     // whether the source has the chunk; null if it is known that it has
};

/// Emits the chunks of one copy, and accesses to its source.
class CopyCode {
public:
  CopyCode(ImplicitLocOpBuilder &b, TileCopyOp op, Value thread, int64_t threads);

  /// Returns whether rows can be copied in chunks of `width` elements: each chunk must be aligned in the source, and
  /// its elements must be all valid or all invalid.
  bool fits(int64_t width) const;
  /// Emits the chunks of a thread, of `width` elements each.
  SmallVector<Chunk> emitChunks(int64_t width);
  /// Emits the buffer and the indices of the first element of a chunk in the source.
  std::pair<Value, SmallVector<Value>> emitSource(const Chunk &chunk);

private:
  ImplicitLocOpBuilder &b;
  Value thread;
  int64_t threads, rows, columns;
  GlobalPart source;             // begins at the position that is copied
  Value validRows, validColumns; // null if all rows, or columns, are valid
  // If successive chunks of a thread are whole rows apart: a view of the source that begins at the thread's first
  // chunk, and the number of rows from one chunk to the next.
  Value view;
  int64_t rowsBetween = 0;
};

} // namespace

CopyCode::CopyCode(ImplicitLocOpBuilder &b, TileCopyOp op, Value thread, int64_t threads)
    : b(b), thread(thread), threads(threads), source(GlobalPart::of(b, op.getSource())) {
  auto type = cast<MemRefType>(op.getTile().getType());
  rows = type.getDimSize(0);
  columns = type.getDimSize(1);
  source.offsets = source.emitIndices(b, op.getIndices());
  if (op.getValid().empty())
    return;
  validRows = emitEnd(b, op.getValid()[0], rows);
  validColumns = emitEnd(b, op.getValid()[1], columns);
}

bool CopyCode::fits(int64_t width) const {
  return columns % width == 0 && source.isAligned(width) && (!validColumns || isMultiple(validColumns, width));
}

SmallVector<Chunk> CopyCode::emitChunks(int64_t width) {
  int64_t across = columns / width, count = rows * across;
  auto apply = [&](AffineExpr expr) -> Value {
    return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(1, 0, expr), {OpFoldResult(thread)});
  };
  auto isLess = [&](Value index, Value end) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, end);
  };
  SmallVector<Chunk> chunks;
  for (int64_t first = 0; first < count; first += threads) {
    AffineExpr place = b.getAffineDimExpr(0) + first;
    Chunk &chunk = chunks.emplace_back();
    chunk.row = apply(place.floorDiv(across));
    chunk.column = apply(place % across * width);
    chunk.number = first / threads;
    if (count - first < threads)
      chunk.exists = isLess(thread, arith::ConstantIndexOp::create(b, count - first));
    if (validRows)
      chunk.isValid = isLess(chunk.row, validRows);
    if (validColumns) {
      Value inRow = isLess(chunk.column, validColumns);
      chunk.isValid = chunk.isValid ? Value(arith::AndIOp::create(b, chunk.isValid, inRow)) : inRow;
    }
  }
  if (threads % across == 0 && source.isAligned(width)) {
    view = source.emitView(b, chunks.front().row, chunks.front().column, rows, width);
    rowsBetween = threads / across;
  }
  return chunks;
}

std::pair<Value, SmallVector<Value>> CopyCode::emitSource(const Chunk &chunk) {
  if (!view)
    return {source.buffer, source.emitIndices(b, {chunk.row, chunk.column})};
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
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

/// Loads the chunks, converts them to the element type of the tile, and stores them. All loads precede all stores, so
/// that the loads overlap. `element` is the type of the source's elements.
static void copyThroughRegisters(LaneCode &code, ImplicitLocOpBuilder &b, Value tile, CopyCode &copy, Type element,
                                 int64_t width, function_ref<void()> beforeWrites) {
  auto tileType = cast<MemRefType>(tile.getType());
  auto type = VectorType::get({width}, element);
  SmallVector<Chunk> chunks = copy.emitChunks(width);
  SmallVector<Value> values;
  for (const Chunk &chunk : chunks) {
    Value isRead = chunk.exists && chunk.isValid ? Value(arith::AndIOp::create(b, chunk.exists, chunk.isValid))
                   : chunk.exists                ? chunk.exists
                                                 : chunk.isValid;
    values.push_back(code.emitIf(isRead, width > 1 ? Type(type) : element, [&]() -> Value {
      auto [buffer, at] = copy.emitSource(chunk);
      return width > 1 ? Value(vector::LoadOp::create(b, type, buffer, at))
                       : Value(memref::LoadOp::create(b, buffer, at));
    }));
  }
  beforeWrites();
  for (size_t i = 0; i < chunks.size(); ++i)
    code.emitIf(chunks[i].exists, Type(), [&]() -> Value {
      Value value = emitConverted(b, values[i], tileType.getElementType());
      SmallVector<Value> at = emitTileIndices(b, tileType, chunks[i].row, chunks[i].column);
      if (width > 1)
        vector::StoreOp::create(b, value, tile, at);
      else
        memref::StoreOp::create(b, value, tile, at);
      return {};
    });
}

/// Begins async copies of the chunks. For a chunk that is not valid, the copy reads no elements and writes zeros.
static void copyAsync(LaneCode &code, ImplicitLocOpBuilder &b, Value tile, CopyCode &copy, int64_t width) {
  auto token = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  auto type = cast<MemRefType>(tile.getType());
  int64_t bits = width * type.getElementTypeBitWidth();
  UnitAttr past = bits == widestAccess ? b.getUnitAttr() : UnitAttr(); // bypasses L1, where tiles need not be kept
  for (const Chunk &chunk : copy.emitChunks(width)) {
    Value elements;
    if (chunk.isValid)
      elements = arith::SelectOp::create(b, chunk.isValid, Value(arith::ConstantIndexOp::create(b, width)),
                                         Value(arith::ConstantIndexOp::create(b, 0)));
    code.emitIf(chunk.exists, Type(), [&]() -> Value {
      auto [buffer, at] = copy.emitSource(chunk);
      nvgpu::DeviceAsyncCopyOp::create(b, token, tile, emitTileIndices(b, type, chunk.row, chunk.column), buffer, at,
                                       b.getIndexAttr(width), elements, past);
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
  CopyCode code(b, op, thread, threads);
  int64_t bits = type.getElementTypeBitWidth(), width = widestAccess / bits;
  while (width > 1 && !code.fits(width))
    width /= 2;
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  // An async copy moves 4, 8 or 16 bytes and cannot convert elements.
  if (op.getAsync() && width * bits >= 32 && element == type.getElementType()) {
    copyAsync(*this, b, tile, code, width);
    return success();
  }
  isCopiedByElement |= width == 1;
  // Stores that take the place of an async copy are complete at the barrier of the next tile_wait.
  copyThroughRegisters(*this, b, tile, code, element, width, [&] {
    if (!op.getAsync())
      barriers.beforeWrites(tile);
  });
  return success();
}
