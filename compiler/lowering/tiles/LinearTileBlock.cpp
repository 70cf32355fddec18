//===- LinearTileBlock.cpp - blocks of linear layers by tiles -------------===//

#include "LinearTileBlock.h"

using namespace mlir;
using namespace heddle;

/// When blocks are halved to get more of them, their larger extent remains at least `minExtent`, and workgroups keep
/// `minWarps` warps if possible. When they are halved to reduce padding, extents remain at least `minPadded`. With two
/// warps, a lane of a 64 x 64 block still has 64 sums, so each load from workgroup memory serves as many multiply-adds
/// as in a large block.
static constexpr int64_t minExtent = 64, minWarps = 2, minPadded = 32;

int64_t TileBlock::maxSums(FragmentKind kind) {
  constexpr int64_t registers = 128; // of 32 bits; a lane has 255
  return registers * 32 / kind.getElementOf(FragmentRole::Sum).getIntOrFloatBitWidth();
}

bool TileBlock::limitThreads(FragmentKind kind, int64_t threads) {
  while (countThreads() > threads) {
    bool alongRows = warpRows % 2 == 0 && (warpRows >= warpColumns || warpColumns % 2);
    int64_t &warps = alongRows ? warpRows : warpColumns;
    if (warps % 2)
      return false;
    warps /= 2;
    if (countSums() > maxSums(kind))
      (alongRows ? rows : columns) /= 2;
  }
  return true;
}

void TileBlock::fit(FragmentKind kind, const Extent &m, int64_t n, const BlockCount &blocks) {
  auto [blockRows, blockColumns, step] = kind.getShape();
  // Halves an extent of the block. Also halves the number of warps along this extent if the workgroup has more than
  // minWarps warps, or if a warp's part of the block could not be divided otherwise. Returns false if the block cannot
  // be halved.
  auto halve = [&](int64_t &extent, int64_t &warps, int64_t unit) {
    int64_t fewer = warps % 2 == 0 && warpRows * warpColumns > minWarps ? warps / 2 : warps;
    if (extent % 2 || extent / 2 % (unit * fewer))
      fewer = warps % 2 == 0 ? warps / 2 : warps;
    if (extent % 2 || extent / 2 % (unit * fewer))
      return false;
    extent /= 2;
    warps = fewer;
    return true;
  };
  while (rows / 2 >= m.high() && halve(rows, warpRows, blockRows)) {
  }
  while (columns / 2 >= n && halve(columns, warpColumns, blockColumns)) {
  }
  int64_t counted = blocks.forFewestRows ? m.low() : m.high();
  auto count = [&] { return llvm::divideCeilSigned(counted, rows) * llvm::divideCeilSigned(n, columns); };
  while (count() < blocks.count && std::max(rows, columns) > minExtent)
    if (!(columns >= rows ? halve(columns, warpColumns, blockColumns) : halve(rows, warpRows, blockRows)))
      break;
  // If there are few blocks, the multiply-adds for padding take longer than the additional loads of smaller blocks.
  auto pads = [](int64_t all, int64_t extent) {
    return extent > minPadded && llvm::alignTo(all, extent) > llvm::alignTo(all, extent / 2);
  };
  while (count() < blocks.count && pads(counted, rows) && halve(rows, warpRows, blockRows)) {
  }
  while (count() < blocks.count && pads(n, columns) && halve(columns, warpColumns, blockColumns)) {
  }
}
