//===- Tensor.h - a value of the interpreter --------------------*- C++ -*-===//
//
// A Tensor is the value of a tensor, a vector, a scalar or a memref. Floats of all widths are stored as double;
// integers of all widths, index and i1 are stored as int64_t. Copies share their elements until one copy is written
// (copy on write). The elements of a memref are in a Buffer, which all copies share permanently.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_INTERPRETER_TENSOR_H
#define HEDDLE_DIALECT_INTERPRETER_TENSOR_H

#include "Indices.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <vector>

namespace heddle {

class Buffer;

class Tensor {
public:
  /// Creates an object without a value, whose element type is null.
  Tensor() = default;

  /// Creates a tensor of zeros, or of the given elements in row-major order. A scalar is a tensor of rank 0.
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, std::vector<double> elements);
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, std::vector<int64_t> elements);

  /// Creates a memref, whose elements are in the buffer.
  explicit Tensor(Buffer buffer);

  /// Returns a tensor of elements that have not been written: floats are NaN, so tests detect their use, and
  /// integers are 0.
  static Tensor uninitialized(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// Returns the value of an attribute that is a scalar or a dense constant. Fails for other attributes.
  static mlir::FailureOr<Tensor> fromAttribute(mlir::Attribute attribute);

  /// Converts row-major elements from the format in which compiled code stores them: IEEE floats, bf16 and two's
  /// complement integers; i1 is one byte (nonzero is true), and index is i64. Fails if the number of bytes does not
  /// match or the type is unsupported.
  static mlir::FailureOr<Tensor> fromBytes(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                                           llvm::ArrayRef<char> bytes);

  /// The inverse of fromBytes. Floats are rounded to the element type, ties to even.
  std::vector<char> toBytes() const;

  /// Returns the number of bytes of an element in fromBytes and toBytes; 0 for unsupported types.
  static int64_t byteWidth(mlir::Type elementType);

  mlir::Type elementType() const { return type; }
  mlir::RankedTensorType tensorType() const { return mlir::RankedTensorType::get(dims, type); }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t dim(unsigned i) const { return dims[i]; }
  int64_t rank() const { return dims.size(); }
  /// The number of elements.
  int64_t size() const { return count; }
  /// The buffer of a memref; null for other values. The functions below, except for isFloat, must not be called for
  /// memrefs.
  const Buffer *buffer() const { return place.get(); }
  bool isFloat() const { return llvm::isa_and_nonnull<mlir::FloatType>(type); }

  /// The elements in row-major order: floats() if isFloat(), ints() otherwise. The mutable forms first copy elements
  /// that other tensors share.
  llvm::ArrayRef<double> floats() const { return *floatData; }
  llvm::ArrayRef<int64_t> ints() const { return *intData; }
  llvm::MutableArrayRef<double> mutableFloats();
  llvm::MutableArrayRef<int64_t> mutableInts();

  /// Returns the same elements, in row-major order, with another shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

  /// Gathers elements: element i of the result, which has the given shape, is the element at offsets[i] of this tensor.
  /// For a negative offset, element i is the scalar `fill`, or 0 if `fill` is null.
  Tensor picked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> offsets, const Tensor *fill = nullptr) const;

  /// Returns the strides, in elements, of a row-major tensor.
  static llvm::SmallVector<int64_t> strides(llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<int64_t> strides() const { return strides(dims); }

private:
  llvm::SmallVector<int64_t, 4> dims;
  int64_t count = 0; // the number of elements
  mlir::Type type;   // the element type
  // The elements: according to the kind of value, one of these pointers is not null; all are null without a value.
  std::shared_ptr<std::vector<double>> floatData;
  std::shared_ptr<std::vector<int64_t>> intData;
  std::shared_ptr<const Buffer> place;
};

/// Wraps `value` to an integer of `width` bits, and returns it sign-extended to 64 bits. An integer of 1 bit becomes 0
/// or 1.
inline int64_t wrapInteger(int64_t value, unsigned width) {
  if (width >= 64)
    return value;
  if (width == 1)
    return value & 1;
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_TENSOR_H
