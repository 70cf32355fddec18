//===- BlockViews.h - views of tensors with blocks --------------*- C++ -*-===//
//
// A tensor is divided into blocks of block[i] elements along each dimension i. A second tensor has one element for each
// block, such as its scale. For a view of the first tensor (a slice or reshape), these functions find the block sizes
// in the view and the matching view of the second tensor.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_BLOCKVIEWS_H
#define HEDDLE_OPS_BLOCKVIEWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// Returns the block sizes for an expanded shape; nullopt if the expanded blocks would not all be equal boxes.
std::optional<llvm::SmallVector<int64_t>> expandBlock(llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> block,
                                                      llvm::ArrayRef<int64_t> shape,
                                                      llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Returns the block sizes for a collapsed shape; nullopt if the collapsed elements of a block would not be contiguous.
std::optional<llvm::SmallVector<int64_t>> collapseBlock(llvm::ArrayRef<int64_t> block, llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// The offset, size and stride along one dimension.
struct Span {
  mlir::OpFoldResult offset, size, stride;
};

/// Returns the span of the blocks that `span`, in a dimension of `all` elements with blocks of `block` elements,
/// intersects. Sets `block` to the block size within the span. Returns nullopt if the span starts inside a block and is
/// not known to stay in it.
std::optional<Span> spanOfBlocks(mlir::OpBuilder &b, mlir::Location loc, const Span &span, int64_t all, int64_t &block);

/// Returns the largest known divisor of an index; 0 for the constant 0.
int64_t knownDivisor(mlir::OpFoldResult index);

} // namespace heddle

#endif // HEDDLE_OPS_BLOCKVIEWS_H
