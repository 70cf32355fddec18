//===- SizedTensor.h - integers that are known but for sizes ----*- C++ -*-===//
//
// The shape of a tensor, the positions of its rows, which keys come after a query: such
// tensors an importer knows at import. Where sizes lie in ranges it knows an expression of
// sizes for each element, or one for all of them, which has the place of the element.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H
#define HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H

#include "Dim.h"
#include "SizeDomain.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// What is known of such a tensor; SizedMovement.cpp brings its elements to other places.
struct SizedTensor {
  Dims shape;
  mlir::IntegerType element;
  /// One for each element, where there are a few; else one for all, of the place.
  llvm::SmallVector<SizeExpression> elements;
  bool isFormula = false;

  /// How many elements a tensor of this shape has, each with an expression of its own; -1 where there is one for all.
  static int64_t countListed(llvm::ArrayRef<Dim> shape);
  /// Of an expression of the places.
  static SizedTensor ofFormula(llvm::ArrayRef<Dim> shape, mlir::IntegerType element, const SizeExpression &formula);
  /// `heddle.sizes`, and integer constants; none for anything else.
  static std::optional<SizedTensor> of(mlir::Value value);
  /// A constant, or `heddle.sizes`.
  mlir::Value emit(mlir::ImplicitLocOpBuilder &b) const;

  /// The least and the largest places.
  llvm::SmallVector<SizeBounds> placeBounds() const;
  /// Of all elements; none where one may have no value.
  std::optional<SizeBounds> bounds() const;
  /// Each, where there is one for each element.
  std::optional<Dims> dims() const;
  /// All of them, where they are the same.
  std::optional<Dim> splat() const;
  /// As one formula; none of none.
  std::optional<SizeExpression> formula() const;

  SizedTensor reshaped(llvm::ArrayRef<Dim> to) const;
  SizedTensor transposed(llvm::ArrayRef<int64_t> permutation) const;
  /// By numpy's rules.
  SizedTensor broadcast(llvm::ArrayRef<Dim> to) const;
  SizedTensor sliced(llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> to, llvm::ArrayRef<int64_t> strides) const;

  /// The elements at `indices`, none of them negative, along `axis`; `to` is the shape of what that is.
  SizedTensor gathered(const SizedTensor &indices, int64_t axis, llvm::ArrayRef<Dim> to) const;

  /// The result of an operation of arith that works element by element on such operands, all of one shape; none where it
  /// is none of those that are known, or an integer of its type need not hold the result.
  static std::optional<SizedTensor> elementwise(mlir::Operation *op, llvm::ArrayRef<SizedTensor> operands);
  static std::optional<SizedTensor> concat(llvm::ArrayRef<SizedTensor> parts, int64_t axis, llvm::ArrayRef<Dim> to);

private:
  std::optional<SizeExpression> linearFormula() const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEDTENSOR_H
