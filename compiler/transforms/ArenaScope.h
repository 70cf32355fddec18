//===- ArenaScope.h - the buffers of one scope and their places -*- C++ -*-===//
//
// Buffers share bytes where the sizes that lie in ranges are the same factors of their
// bytes: then offsets are shared out once, per product of these sizes, and hold for all
// sizes. Each group begins where the one before it ends in this call.
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

/// The order in which operations run: each takes the interval from its start to
/// the end of what is nested in it.
struct Timeline {
  explicit Timeline(mlir::Operation *root) { number(root); }
  llvm::DenseMap<mlir::Operation *, int64_t> first, last;

private:
  void number(mlir::Operation *op);
  int64_t clock = 0;
};

/// The bytes of a buffer of that type: a fixed number, or one for each unit of a product of sizes.
struct BufferBytes {
  int64_t each = 0;    // bytes
  int64_t product = 1; // of what stands for the sizes

  /// Those of the largest sizes.
  BufferBytes most(const Sizes &sizes) const { return {each * sizes.of(product).high(), 1}; }
};
mlir::FailureOr<BufferBytes> bytesOf(mlir::Operation *op, mlir::MemRefType type, const Sizes &sizes,
                                     mlir::Value dynamic = nullptr);

/// Buffers of a function, or of the body of a parallel loop.
class ArenaScope {
public:
  struct Group {
    llvm::SmallVector<PackedBuffer> buffers; // sizes and offsets per unit of the product
    llvm::SmallVector<int64_t> lines;        // of cache, that rounding up may take of each buffer
    llvm::SmallVector<int64_t> before;       // lines of the buffers at lower offsets
    int64_t size = 0, allLines = 0;
  };
  /// A buffer: which group, and which of its buffers.
  struct Place {
    int64_t product = 1;
    size_t number = 0;
  };

  /// Notes a buffer and for how long it is needed; `most`: as large as it can be.
  mlir::LogicalResult addAlloc(mlir::memref::AllocOp alloc, const Timeline &timeline, const Sizes &sizes, bool most);
  Place add(BufferBytes bytes, int64_t first, int64_t last, int64_t lines = 1);
  /// Finds all places; those that are the same in each call are multiples of `alignment`.
  void pack(int64_t alignment = bufferAlignment);

  bool empty() const { return groups.empty(); }
  /// Whether all bytes are the same in each call.
  bool isFixed() const;
  /// What all of them take, or those of one product.
  ArenaBytes size() const;
  ArenaBytes sizeOf(int64_t product) const;
  /// Where a buffer begins.
  ArenaBytes offsetOf(Place place) const;
  /// The same within the bytes of its group.
  ArenaBytes offsetInGroup(Place place) const;

  llvm::SmallVector<std::pair<mlir::memref::AllocOp, Place>> allocs;
  llvm::MapVector<int64_t, Group> groups; // by product
};

/// The number of bytes in this call.
mlir::Value emitBytes(mlir::OpBuilder &b, mlir::Location loc, const ArenaBytes &bytes, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENASCOPE_H
