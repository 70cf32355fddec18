//===- ChunkLoop.h - loops whose steps load several elements ----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_CHUNKLOOP_H
#define HEDDLE_LOWERING_TILES_CHUNKLOOP_H

#include "Extent.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// The number of parts whose results a lane loads before it joins them: the size of a chunk if the elements are parts.
constexpr int64_t partsOfChunk = 8;

/// Emits the code for a chunk of elements. Gets their indices, for each of them whether it exists (null if it is known
/// to exist), and the values that the loop carries; returns the next values. The index of an element that does not
/// exist is that of the last element.
using ChunkBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &b, mlir::ValueRange indices,
                                                                    mlir::ValueRange exist, mlir::ValueRange carried)>;

/// Emits a loop over `count` elements with a chunk of `atOnce` elements in each step. A step can load all elements of
/// the chunk before it uses the first of them: a load takes several hundred cycles, for which each element would
/// otherwise wait. The loop carries values that begin as `start`. Returns the last values.
llvm::SmallVector<mlir::Value> forEachChunk(mlir::OpBuilder &b, mlir::Location loc, const Extent &count, int64_t atOnce,
                                            mlir::ValueRange start, ChunkBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_CHUNKLOOP_H
