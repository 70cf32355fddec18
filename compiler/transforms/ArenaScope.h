//===- ArenaScope.h - offsets of one scope's buffers ------------*- C++ -*-===//
//
// Buffers can share bytes if their numbers of bytes are multiples of the same
// product of sizes. Offsets are then assigned once, per unit of this product,
// and are valid for all sizes. The groups of different products follow one
// another at offsets that are computed in each call.
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

/// The order in which operations run: each operation has the interval from its start to the end of the operations
/// nested in it.
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
  int64_t product = 1; // a product of placeholders of sizes; 1: the number is fixed

  /// Returns the number of bytes at the largest sizes.
  BufferBytes maximum(const Sizes &sizes) const { return {each * sizes.of(product).high(), 1}; }
};
/// Returns the bytes of a buffer of type `type`. If the type has dynamic dimensions, `dynamic` is a value of this type,
/// and upper bounds of its dimensions are used. Emits an error at `op` and fails if the bytes cannot be planned.
mlir::FailureOr<BufferBytes> bytesOf(mlir::Operation *op, mlir::MemRefType type, const Sizes &sizes,
                                     mlir::Value dynamic = nullptr);

/// The buffers of a function, or of the body of a parallel loop.
class ArenaScope {
public:
  struct Group {
    llvm::SmallVector<PackedBuffer> buffers; // sizes and offsets per unit of the product
    llvm::SmallVector<int64_t> lines;        // cache lines by which rounding may extend each buffer
    llvm::SmallVector<int64_t> before;       // the sum of `lines` of the buffers at lower offsets
    int64_t size = 0, allLines = 0;
  };
  /// Identifies a buffer: its group, and its index in the group.
  struct Place {
    int64_t product = 1;
    size_t number = 0;
  };

  /// Adds the buffer that `alloc` allocates, with the lifetime of its uses in `timeline`. With `maximum`, the buffer
  /// has its largest size in all calls.
  mlir::LogicalResult addAlloc(mlir::memref::AllocOp alloc, const Timeline &timeline, const Sizes &sizes, bool maximum);
  /// Adds a buffer that is live at the times first..last. `lines` is the element of Group::lines for this buffer.
  Place add(BufferBytes bytes, int64_t first, int64_t last, int64_t lines = 1);
  /// Assigns all offsets. Offsets that are the same in each call are multiples of `alignment`.
  void pack(int64_t alignment = bufferAlignment);

  bool empty() const { return groups.empty(); }
  /// Returns whether the number of bytes is the same in each call.
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

/// Emits the number of bytes for the sizes of the current call.
mlir::Value emitBytes(mlir::OpBuilder &b, mlir::Location loc, const ArenaBytes &bytes, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENASCOPE_H
