//===- ArenaScope.h - offsets of one scope's buffers ------------*- C++ -*-===//
//
// This file assigns offsets in the arena to buffers. Buffers that are not live
// at the same time may share bytes. The number of bytes of a buffer may be
// a multiple of a product of sizes. Buffers with the same product form a group.
// The offsets in a group are assigned at compile time, per unit of the product,
// and are valid for all sizes. The groups are placed one after the other, at
// offsets that are computed in each call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORMS_ARENASCOPE_H
#define HEDDLE_TRANSFORMS_ARENASCOPE_H

#include "ArenaPacking.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

/// The order in which operations run. `first` is the time when an operation starts, and `last` is the time after the
/// operations that are nested in it.
struct Timeline {
  explicit Timeline(mlir::Operation *root) { number(root); }
  llvm::DenseMap<mlir::Operation *, int64_t> first, last;

private:
  void number(mlir::Operation *op);
  int64_t clock = 0;
};

/// The number of bytes of a buffer, `each` x `product`.
struct BufferBytes {
  int64_t each = 0;    // the bytes for each unit of the product
  // a product of placeholders (numbers that represent sizes in types), or 1 if the number of bytes is fixed
  int64_t product = 1;

  /// Returns the number of bytes at the largest sizes.
  BufferBytes maximum(const Sizes &sizes) const { return {each * sizes.of(product).high(), 1}; }
};
/// Returns the number of bytes of a buffer of type `type`. If the type has dynamic dimensions, `dynamic` must be a
/// value of this type, and the upper bounds of its dimensions are used. Emits an error at `op` and fails if the element
/// type or layout is not supported, if a dimension has no upper bound, if the buffer is too large, or if the
/// placeholder for the product of its sizes does not fit into 64 bits.
mlir::FailureOr<BufferBytes> bytesOf(mlir::Operation *op, mlir::MemRefType type, const Sizes &sizes,
                                     mlir::Value dynamic = nullptr);

/// The buffers of a function, or of the body of a parallel loop.
class ArenaScope {
public:
  /// The buffers whose numbers of bytes are multiples of one product of sizes.
  struct Group {
    llvm::SmallVector<PackedBuffer> buffers; // sizes and offsets per unit of the product
    llvm::SmallVector<int64_t> lines;        // for each buffer, the cache lines that rounding up may add to it
    llvm::SmallVector<int64_t> before;       // for each buffer, the sum of `lines` at lower pairs (offset, index)
    int64_t size = 0, allLines = 0;          // the size of all buffers per unit of the product; the sum of `lines`
  };
  /// Identifies a buffer: its group, and its index in the group.
  struct Place {
    int64_t product = 1; // the key of the group in `groups`
    size_t number = 0;   // an index into Group::buffers
  };

  /// Adds the buffer that `alloc` allocates, with the lifetime of its uses in `timeline`. With `maximum`, the buffer
  /// has its largest size in all calls. Emits an error and fails if bytesOf() fails, if the function returns the
  /// buffer, or if the buffer is used after the loop iteration that allocates it.
  mlir::LogicalResult addAlloc(mlir::memref::AllocOp alloc, const Timeline &timeline, const Sizes &sizes, bool maximum);
  /// Adds a buffer that is live at the times first..last. `lines` is the element of Group::lines for this buffer.
  Place add(BufferBytes bytes, int64_t first, int64_t last, int64_t lines = 1);
  /// Assigns all offsets. Offsets that do not depend on sizes are multiples of `alignment`.
  void pack(int64_t alignment = bufferAlignment);

  bool empty() const { return groups.empty(); }
  /// Returns whether the number of bytes of the scope does not depend on sizes.
  bool isFixed() const;
  /// Return the number of bytes of all groups, and of the group of one product.
  ArenaBytes size() const;
  ArenaBytes sizeOf(int64_t product) const;
  /// Returns the offset of a buffer in the scope.
  ArenaBytes offsetOf(Place place) const;
  /// Returns the offset of a buffer in its group.
  ArenaBytes offsetInGroup(Place place) const;

  llvm::SmallVector<std::pair<mlir::memref::AllocOp, Place>> allocs;
  llvm::MapVector<int64_t, Group> groups; // by product
};

/// Emits the number of bytes for the sizes of the current call. The bytes for each product are rounded up to whole
/// cache lines.
mlir::Value emitBytes(mlir::OpBuilder &b, mlir::Location loc, const ArenaBytes &bytes, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENASCOPE_H
