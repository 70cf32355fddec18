//===- Buffer.h - memory of the interpreter ---------------------*- C++ -*-===//
//
// A Buffer is the value of a memref: a shape, strides, and a pointer into a block of memory. Several buffers may share
// one block of memory. Elements are stored as bytes, as in compiled code: a load through a buffer of one type reads the
// bytes that a store through a buffer of another type has written to the same memory. An access outside of the memory
// is an error, which is emitted at the op that accesses the buffer. The callers of this class check indices against the
// shape.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_INTERPRETER_BUFFER_H
#define HEDDLE_DIALECT_INTERPRETER_BUFFER_H

#include "interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

namespace heddle {

class Buffer {
public:
  /// Allocates new memory in which all bits are set. Floats that have not been written are then NaN and integers are
  /// -1, so tests detect their use. Emits an error at `op` if the type cannot be stored in memory, an extent is
  /// negative, or the size is more than 64 GiB.
  static mlir::FailureOr<Buffer> allocate(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// Allocates new memory with these elements, rounded to their type.
  static Buffer of(const Tensor &tensor);

  /// Allocates new memory with these bytes, as elements of type i8.
  static Buffer ofBytes(std::vector<char> bytes, mlir::MLIRContext *context);

  /// Returns a buffer with a shape but no memory: an access to any element is an error.
  static Buffer withoutMemory(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  mlir::Type elementType() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  /// The strides of the dimensions, in elements.
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  /// The offset, in bytes, of the first element in the memory.
  int64_t address() const { return start; }
  /// The size of an element in bytes; 0 if the type cannot be stored in memory.
  int64_t byteWidth() const { return width; }

  /// Returns a view that starts `offset` elements after the first element of this buffer. The strides are in elements.
  Buffer view(int64_t offset, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) const;

  /// Returns a row-major buffer of another type that shares the memory of this buffer and starts `byte` bytes after the
  /// first element of this buffer.
  Buffer reinterpreted(int64_t byte, llvm::ArrayRef<int64_t> shape, mlir::Type elementType) const;

  /// Reads or writes the elements at `offsets`, which are counted in elements from the first element of the buffer.
  /// `shape` is the shape of the returned tensor. For an offset of -1, `read` returns the scalar `fill` (0 if `fill` is
  /// null), and `write` skips the element.
  mlir::FailureOr<Tensor> read(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> offsets,
                               const Tensor *fill = nullptr) const;
  llvm::LogicalResult write(mlir::Operation *op, const Tensor &tensor, llvm::ArrayRef<int64_t> offsets) const;

  /// Whether the two buffers share memory and their byte ranges, including gaps between elements, overlap.
  bool overlaps(const Buffer &other) const;

  /// Loads or stores all elements of the buffer's shape.
  mlir::FailureOr<Tensor> load(mlir::Operation *op) const;
  llvm::LogicalResult store(mlir::Operation *op, const Tensor &tensor) const;

  /// Marks all bytes as unwritten. Must not be called for buffers with gaps between elements.
  void forget() const;

private:
  /// Emits an error at `op` if the type cannot be stored in memory or an element is after the end of the memory.
  llvm::LogicalResult checkPlaces(mlir::Operation *op, llvm::ArrayRef<int64_t> offsets) const;
  /// Returns the offsets, in elements, of all elements in row-major order.
  llvm::SmallVector<int64_t> allOffsets() const;
  int64_t end() const; // the offset, in bytes, of the end of the last element

  std::shared_ptr<std::vector<char>> memory;  // shared by all views of it
  int64_t start = 0, width = 0;               // see address() and byteWidth()
  mlir::Type type;                            // the element type
  llvm::SmallVector<int64_t, 4> sizes, steps; // the shape, and the strides in elements
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_BUFFER_H
