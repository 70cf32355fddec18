//===- BlockViews.h - views of block-quantized tensors ----------*- C++ -*-===//
//
// A quantized tensor is divided into blocks of block[i] elements along each dimension i. A second tensor has one
// element for each block, such as the scale of the block. For a view of the first tensor (a slice or a reshape), these
// functions compute the block sizes in the view and the corresponding view of the second tensor.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_BLOCKVIEWS_H
#define HEDDLE_OPS_BLOCKVIEWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// Returns the block sizes after a tensor.expand_shape of `shape`, with blocks of sizes `block`, to `expanded`; nullopt
/// if the blocks would not all be rectangular and of the same shape. groups[i] are the dimensions into which dimension
/// i is expanded.
std::optional<llvm::SmallVector<int64_t>> expandBlock(llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> block,
                                                      llvm::ArrayRef<int64_t> shape,
                                                      llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Returns the block sizes after a tensor.collapse_shape of `shape`, with blocks of sizes `block`; nullopt if the
/// elements of a block would not be contiguous in a collapsed dimension. groups[i] are the dimensions that are
/// collapsed to dimension i.
std::optional<llvm::SmallVector<int64_t>> collapseBlock(llvm::ArrayRef<int64_t> block, llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// The offset, size and stride of a slice along one dimension.
struct Span {
  mlir::OpFoldResult offset, size, stride;
};

/// `span` is a slice along a dimension of `all` elements, which is divided into blocks of `block` elements. Returns the
/// slice of the blocks (in units of blocks) that `span` intersects, and emits code at `b` if its offset or size is not
/// constant. If a block is larger than one element and smaller than the dimension, returns nullopt in two cases: `span`
/// may have several elements and its stride is not known to be 1, or `span` is neither known to start at the beginning
/// of a block nor known to lie in a single block.
std::optional<Span> spanOfBlocks(mlir::OpBuilder &b, mlir::Location loc, const Span &span, int64_t all, int64_t block);

/// Returns the largest number that is known to divide an index; 0 if the index is known to be 0.
int64_t knownDivisor(mlir::OpFoldResult index);

} // namespace heddle

#endif // HEDDLE_OPS_BLOCKVIEWS_H
