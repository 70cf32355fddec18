//===- linear_tile_block_test.cpp - blocks of linear layers by tiles -------===//

#include "tiles/LinearTileBlock.h"

#include "heddle/Registry.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

static constexpr int64_t edge = 64;  // of the smallest blocks that are made to get more of them
static constexpr int64_t full = 256; // a number of blocks that fills a device

static int64_t countBlocks(int64_t m, int64_t n, int64_t rows, int64_t columns) {
  return llvm::divideCeilSigned(m, rows) * llvm::divideCeilSigned(n, columns);
}

/// Checks the block of layers with `m` rows and `n` columns, for each n in a range: for every number of rows, there are
/// as many blocks as blocks of 64 x 64 would be, or as fill a device.
static void check(FragmentKind kind, const Extent &m) {
  for (int64_t n = 1; n < 5000; n += n < 300 ? 1 : 97) {
    TileBlock block = {128, 128, 16, 4, 2, 3};
    block.fit(kind, m, n, {full, /*forFewestRows=*/true});
    auto place = FragmentsAttr::get(kind.getContext(), kind, block.warpRows, block.warpColumns);
    ASSERT_TRUE(place.divides({block.rows, block.columns})) << block.rows << " x " << block.columns;
    ASSERT_LE(block.countSums(), TileBlock::maxSums(kind));
    for (int64_t rows = m.low(); rows <= m.high(); rows += rows < 300 ? 1 : 97)
      ASSERT_GE(countBlocks(rows, n, block.rows, block.columns), std::min(full, countBlocks(rows, n, edge, edge)))
          << rows << " rows, " << n << " columns";
  }
}

TEST(TileBlocks, AreNotFewerThanSmallBlocksUnlessTheyFillADevice) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Builder b(&context);
  for (Type element : {Type(b.getF32Type()), Type(b.getF64Type())}) {
    FragmentKind kind = cast<FragmentKind>(Attribute(FmaAttr::get(&context, element)));
    for (int64_t m : {1, 9, 16, 17, 33, 64, 65, 100, 128, 129, 500, 512, 1000, 1024, 2047, 2048, 4096})
      check(kind, m);
    for (auto [low, high] : {std::pair(1, 300), {1, 3000}, {17, 256}, {129, 2000}, {2000, 4000}})
      check(kind, Extent(/*placeholder=*/101, /*factor=*/1, {"rows"}, low, high));
  }
}
