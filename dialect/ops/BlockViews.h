//===- BlockViews.h - views of block-quantized tensors ----------*- C++ -*-===//
//
// A tensor is divided into blocks of block[i] elements along each dimension i. A second tensor has one element for each
// block, such as its scale. For a view of the first tensor (a slice or a reshape), these functions compute the block
// sizes in the view and the corresponding view of the second tensor.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_BLOCKVIEWS_H
#define HEDDLE_OPS_BLOCKVIEWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// Returns the block sizes after tensor.expand_shape of `shape` to `expanded`; nullopt if the blocks would not all be
/// rectangular and of the same shape.
std::optional<llvm::SmallVector<int64_t>> expandBlock(llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> block,
                                                      llvm::ArrayRef<int64_t> shape,
                                                      llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Returns the block sizes after tensor.collapse_shape of `shape`; nullopt if the elements of a block would not be
/// contiguous in a collapsed dimension.
std::optional<llvm::SmallVector<int64_t>> collapseBlock(llvm::ArrayRef<int64_t> block, llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// The offset, size and stride of a slice along one dimension.
struct Span {
  mlir::OpFoldResult offset, size, stride;
};

/// `span` is a slice along a dimension of `all` elements, in blocks of `block` elements. Returns the slice of blocks
/// that it intersects. Returns nullopt if `span` has a stride and more than one element, or if it is neither known to
/// start at the beginning of a block nor known to lie in a single block.
std::optional<Span> spanOfBlocks(mlir::OpBuilder &b, mlir::Location loc, const Span &span, int64_t all, int64_t &block);

/// Returns the largest known divisor of an index; 0 for the constant 0.
int64_t knownDivisor(mlir::OpFoldResult index);

} // namespace heddle

#endif // HEDDLE_OPS_BLOCKVIEWS_H
