//===- BlockViews.h - views of tensors whose blocks share something -*- C++ -*-===//
//
// Elements of a tensor belong to blocks: along dimension i, block[i] of them share one. What
// belongs to the blocks is a tensor of their numbers. A view of the first tensor may be such a
// tensor again, and what belongs to its blocks a view of the second.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_BLOCKVIEWS_H
#define HEDDLE_OPS_BLOCKVIEWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// The block of an expanded shape; nothing where it would be of more than one shape.
std::optional<llvm::SmallVector<int64_t>> expandBlock(llvm::ArrayRef<int64_t> expanded, llvm::ArrayRef<int64_t> block,
                                                      llvm::ArrayRef<int64_t> shape,
                                                      llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// The block of a collapsed shape; nothing where neighbours along one of its dimensions would belong to blocks that
/// are none.
std::optional<llvm::SmallVector<int64_t>> collapseBlock(llvm::ArrayRef<int64_t> block, llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Offset, size and stride along one dimension.
struct Span {
  mlir::OpFoldResult offset, size, stride;
};

/// The blocks that the span of a dimension of `all` elements meets, in blocks of so many; `block` becomes that of the
/// span. Nothing where the span begins within a block and is not known to stay there.
std::optional<Span> spanOfBlocks(mlir::OpBuilder &b, mlir::Location loc, const Span &span, int64_t all, int64_t &block);

/// The largest number that is known to divide an index; 0 for 0.
int64_t knownDivisor(mlir::OpFoldResult index);

} // namespace heddle

#endif // HEDDLE_OPS_BLOCKVIEWS_H
