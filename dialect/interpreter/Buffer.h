//===- Buffer.h - memory of the interpreter ---------------------*- C++ -*-===//
//
// The value of a memref: elements as bytes in memory that several buffers share, laid out as in real memory, so that a
// view with another type sees the bytes that a store through this buffer wrote. An access outside of a buffer's shape
// or memory is an error of the op.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_INTERPRETER_BUFFER_H
#define HEDDLE_DIALECT_INTERPRETER_BUFFER_H

#include "interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

namespace heddle {

class Buffer {
public:
  /// Allocates new memory with all bits set: NaN as floats, -1 as integers, so that reads of unwritten elements show.
  static mlir::FailureOr<Buffer> allocate(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// Allocates new memory with these elements, rounded to their type.
  static Buffer of(const Tensor &tensor);

  /// Allocates new memory with these bytes, as elements of type i8.
  static Buffer ofBytes(std::vector<char> bytes, mlir::MLIRContext *context);

  /// A buffer with a shape but no memory: reading any element is an error.
  static Buffer withoutMemory(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  mlir::Type elementType() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  /// The byte offset of the first element in the memory.
  int64_t address() const { return start; }
  /// The size of an element in bytes; 0 if the type cannot be stored in memory.
  int64_t byteWidth() const { return width; }

  /// Returns a view that starts at the element `offset` of this buffer.
  Buffer view(int64_t offset, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) const;

  /// Returns a row-major buffer of another type in the same memory, starting at byte `byte` of this buffer.
  Buffer reinterpreted(int64_t byte, llvm::ArrayRef<int64_t> shape, mlir::Type elementType) const;

  /// Reads or writes the elements at `offsets` (in elements, by the strides). For an offset of -1, `read` takes the
  /// element from `fill`, and `write` skips it.
  mlir::FailureOr<Tensor> read(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> offsets,
                               const Tensor *fill = nullptr) const;
  llvm::LogicalResult write(mlir::Operation *op, const Tensor &tensor, llvm::ArrayRef<int64_t> offsets) const;

  /// Whether the byte ranges of the two buffers, including gaps between elements, overlap.
  bool overlaps(const Buffer &other) const;

  /// Loads or stores all elements.
  mlir::FailureOr<Tensor> load(mlir::Operation *op) const;
  llvm::LogicalResult store(mlir::Operation *op, const Tensor &tensor) const;

  /// Marks all bytes as unwritten. Only for buffers without gaps.
  void forget() const;

private:
  llvm::LogicalResult checkPlaces(mlir::Operation *op, llvm::ArrayRef<int64_t> offsets) const;
  llvm::SmallVector<int64_t> allOffsets() const;
  int64_t end() const; // end of the last element, in bytes

  std::shared_ptr<std::vector<char>> memory;
  int64_t start = 0, width = 0;
  mlir::Type type;
  llvm::SmallVector<int64_t, 4> sizes, steps;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_BUFFER_H
