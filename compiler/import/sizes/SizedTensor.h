//===- SizedTensor.h - integer tensors that depend on sizes -----*- C++ -*-===//
//
// Some integer tensors are known at import: the shape of a tensor, the positions of its rows, a causal mask. If sizes
// lie in ranges, such a tensor is known as an expression of sizes for each element, or as one formula that computes all
// elements from their indices.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H
#define HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H

#include "Dim.h"
#include "SizeDomain.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// An integer tensor that depends on sizes. SizedMovement.cpp implements the operations that move its elements.
struct SizedTensor {
  SymbolicShape shape;
  mlir::IntegerType element; // the element type
  /// If there are few elements, an expression for each of them in row-major order. Otherwise, a single formula that
  /// computes an element from its indices.
  llvm::SmallVector<SizeExpression> elements;
  bool isFormula = false; // whether `elements` is a single formula

  /// Returns the number of elements if a tensor of this shape has an expression for each element; -1 if it has a single
  /// formula.
  static int64_t countListed(llvm::ArrayRef<Dim> shape);
  /// Returns a tensor whose elements are computed from their indices by `formula`.
  static SizedTensor ofFormula(llvm::ArrayRef<Dim> shape, mlir::IntegerType element, const SizeExpression &formula);
  /// Returns the tensor of a `heddle.sizes` operation or of an integer constant. Returns nothing for other values, for
  /// large constants that no formula describes, and if there is no current SizeScope.
  static std::optional<SizedTensor> of(mlir::Value value);
  /// Emits the tensor as a constant or as a `heddle.sizes` operation.
  mlir::Value emit(mlir::ImplicitLocOpBuilder &b) const;

  /// The bounds of the indices in each dimension.
  llvm::SmallVector<SizeBounds> placeBounds() const;
  /// The bounds that all elements satisfy; nothing if there are no elements or an element may have no value.
  std::optional<SizeBounds> bounds() const;
  /// Returns the elements in row-major order if each of them has an expression; nothing otherwise.
  std::optional<SymbolicShape> dims() const;
  /// The value of all elements if they are equal; nothing otherwise.
  std::optional<Dim> splat() const;
  /// The elements as a single formula of their indices; nothing if there are no elements.
  std::optional<SizeExpression> formula() const;

  /// In this function and those below, `to` is the shape of the result.
  SizedTensor reshaped(llvm::ArrayRef<Dim> to) const;
  /// Dimension i of the result is dimension `permutation[i]` of this tensor.
  SizedTensor transposed(llvm::ArrayRef<int64_t> permutation) const;
  /// Broadcasts according to numpy's rules.
  SizedTensor broadcast(llvm::ArrayRef<Dim> to) const;
  SizedTensor sliced(llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> to, llvm::ArrayRef<int64_t> strides) const;

  /// Returns the elements at `indices` along `axis`; the indices must not be negative.
  SizedTensor gathered(const SizedTensor &indices, int64_t axis, llvm::ArrayRef<Dim> to) const;

  /// The result of an elementwise arith operation on operands of one shape. Returns nothing if the operation is not
  /// supported or if the result might not fit into its integer type.
  static std::optional<SizedTensor> elementwise(mlir::Operation *op, llvm::ArrayRef<SizedTensor> operands);
  /// Concatenates tensors along `axis`. Returns nothing if a part has no elements, unless `axis` is 0 and the result
  /// has an expression for each element.
  static std::optional<SizedTensor> concat(llvm::ArrayRef<SizedTensor> parts, int64_t axis, llvm::ArrayRef<Dim> to);

private:
  std::optional<SizeExpression> linearFormula() const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H
