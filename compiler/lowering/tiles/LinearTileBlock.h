//===- LinearTileBlock.h - blocks of linear layers by tiles -----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_LINEARTILEBLOCK_H
#define HEDDLE_LOWERING_TILES_LINEARTILEBLOCK_H

#include "Extent.h"
#include "Heddle.h"

namespace heddle {

/// The number of blocks that a large result should have, for the lowest number of rows of a range if `forFewestRows` is
/// true, or else for the highest.
struct BlockCount {
  int64_t count;
  bool forFewestRows;
};

/// The block of a result that a workgroup computes.
struct TileBlock {
  int64_t rows, columns;         // the size of the block
  int64_t depth;                 // the number of terms of the contraction in one step
  int64_t warpRows, warpColumns; // the warps among which the block is divided
  int64_t stages;                // the number of buffers of each tile in workgroup memory (notes::stages)

  /// Return the number of threads of the workgroup, and the number of sums of each lane.
  int64_t countThreads() const { return FragmentKind::lanes * warpRows * warpColumns; }
  int64_t countSums() const { return rows * columns / countThreads(); }
  /// Returns the maximum number of sums of a lane, such that its registers can hold these sums and the factors of a
  /// step.
  static int64_t maxSums(FragmentKind kind);
  /// Halves the number of warps until the workgroup has at most `threads` threads, and with it the block if a lane
  /// would have more than `maxSums` sums. Returns false if the number of warps cannot be halved.
  bool limitThreads(FragmentKind kind, int64_t threads);
  /// Halves the block along rows or columns until it is less than twice as large as the largest result, [m.high(), n],
  /// and until there are `blocks.count` blocks, as far as the block remains divisible. If there are fewer, halves it
  /// further while this reduces the padding of the last blocks.
  void fit(FragmentKind kind, const Extent &m, int64_t n, const BlockCount &blocks);
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_LINEARTILEBLOCK_H
