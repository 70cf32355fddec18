//===- Buffer.h - what a memref is to the interpreter -----------*- C++ -*-===//
//
// Elements in bytes that other buffers share, as they lie in memory: a view with
// another type sees what a store through this one left. Nobody reads or writes
// beyond what a buffer's shape or its memory holds: that is an error of the op.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_INTERPRETER_BUFFER_H
#define HEDDLE_DIALECT_INTERPRETER_BUFFER_H

#include "interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

namespace heddle {

class Buffer {
public:
  /// Memory of its own that nobody has written: all ones, which is NaN to floats, -1 to integers.
  static mlir::FailureOr<Buffer> allocate(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// Memory of its own with these elements, rounded to their type.
  static Buffer of(const Tensor &tensor);

  /// Memory of its own with these bytes, as elements of type i8.
  static Buffer ofBytes(std::vector<char> bytes, mlir::MLIRContext *context);

  /// A shape to be looked at and no memory: reading any element is an error.
  static Buffer withoutMemory(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  mlir::Type elementType() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  /// The first element's place in the memory, in bytes.
  int64_t address() const { return start; }
  /// Bytes of an element, 0 where the type has no place in memory.
  int64_t byteWidth() const { return width; }

  /// The buffer whose first element is this one's at `offset` elements.
  Buffer view(int64_t offset, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) const;

  /// A row-major buffer of another type in the same memory, from a byte of this one on.
  Buffer reinterpreted(int64_t byte, llvm::ArrayRef<int64_t> shape, mlir::Type elementType) const;

  /// The elements at `offsets` (in elements, by the strides); -1 gives `fill` and is not written.
  mlir::FailureOr<Tensor> read(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> offsets,
                               const Tensor *fill = nullptr) const;
  llvm::LogicalResult write(mlir::Operation *op, const Tensor &tensor, llvm::ArrayRef<int64_t> offsets) const;

  /// Whether the two have bytes in common, at least in the gaps between their elements.
  bool overlaps(const Buffer &other) const;

  /// All elements.
  mlir::FailureOr<Tensor> load(mlir::Operation *op) const;
  llvm::LogicalResult store(mlir::Operation *op, const Tensor &tensor) const;

  /// Makes all bytes what nobody has written. For buffers without gaps.
  void forget() const;

private:
  llvm::LogicalResult checkPlaces(mlir::Operation *op, llvm::ArrayRef<int64_t> offsets) const;
  llvm::SmallVector<int64_t> allOffsets() const;
  int64_t end() const; // of the last element, in bytes

  std::shared_ptr<std::vector<char>> memory;
  int64_t start = 0, width = 0;
  mlir::Type type;
  llvm::SmallVector<int64_t, 4> sizes, steps;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_BUFFER_H
