//===- tile_memory_test.cpp - the order of elements in tiles --------------===//

#include "kinds/TileMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace heddle;

namespace {
constexpr int64_t chunk = 8, banks = 8; // 16-bit elements in a chunk, and chunks in a line across all banks

struct TileMemory : testing::Test {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;

  TileMemory() {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect, memref::MemRefDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  /// Returns the value of an index that was computed from constants.
  static int64_t evaluate(Value value) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSExtValue();
    if (auto either = value.getDefiningOp<arith::XOrIOp>())
      return evaluate(either.getLhs()) ^ evaluate(either.getRhs());
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return evaluate(sum.getLhs()) + evaluate(sum.getRhs());
    auto apply = value.getDefiningOp<affine::AffineApplyOp>();
    if (!apply) {
      ADD_FAILURE() << "an index is computed by an operation that this test cannot evaluate";
      return 0;
    }
    SmallVector<Attribute> operands, results;
    for (Value operand : apply.getMapOperands())
      operands.push_back(IntegerAttr::get(IndexType::get(value.getContext()), evaluate(operand)));
    EXPECT_TRUE(succeeded(apply.getAffineMap().constantFold(operands, results)));
    return cast<IntegerAttr>(results[0]).getInt();
  }

  /// Returns the offset of the element (row, column) of a tile in the tile's buffer, in elements.
  int64_t findPlace(MemRefType tile, int64_t row, int64_t column, int64_t rowsApart = 1) {
    ImplicitLocOpBuilder b(module->getLoc(), OpBuilder::atBlockEnd(module->getBody()));
    auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, number); };
    SmallVector<Value> at = emitTileIndices(b, tile, rowsApart, constant(row), constant(column));
    return evaluate(at[0]) * tile.getDimSize(1) + evaluate(at[1]);
  }
};
} // namespace

/// In tiles of 16-bit elements with rows of any number of whole chunks, the chunks that ldmatrix reads together (those
/// with the same index in eight rows) lie in different banks, and each element has a place of its own.
TEST_F(TileMemory, HasNoConflictsWhateverTheNumberOfChunks) {
  for (int64_t chunks = 1; chunks <= 34; ++chunks) {
    auto tile = MemRefType::get({16, chunks * chunk}, BFloat16Type::get(&context));
    std::set<int64_t> places;
    for (int64_t rows = 0; rows < 16; rows += 8)
      for (int64_t index = 0; index < chunks; ++index) {
        std::set<int64_t> used;
        for (int64_t row = rows; row < rows + 8; ++row) {
          int64_t place = findPlace(tile, row, index * chunk);
          ASSERT_EQ(place % chunk, 0) << chunks << " chunks";
          ASSERT_EQ(findPlace(tile, row, index * chunk + 5), place + 5) << chunks << " chunks";
          places.insert(place);
          used.insert(place / chunk % banks);
        }
        EXPECT_EQ(int64_t(used.size()), banks) << "chunk " << index << " of " << chunks << ", rows from " << rows;
      }
    EXPECT_EQ(int64_t(places.size()), 16 * chunks) << chunks << " chunks";
  }
}

/// In tiles of f32 and f64 that are read in rows that are four rows apart, the chunks with the same index in eight such
/// rows lie in different banks, and each element has a place of its own.
TEST_F(TileMemory, HasNoConflictsInRowsThatAreApart) {
  constexpr int64_t apart = 4, rows = 8 * apart;
  for (Type element : {Type(Float32Type::get(&context)), Type(Float64Type::get(&context))})
    for (int64_t chunks : {8, 16, 24}) {
      int64_t width = 128 / element.getIntOrFloatBitWidth();
      auto tile = MemRefType::get({rows, chunks * width}, element);
      std::set<int64_t> places;
      for (int64_t first = 0; first < apart; ++first)
        for (int64_t index = 0; index < chunks; ++index) {
          std::set<int64_t> used;
          for (int64_t row = first; row < rows; row += apart) {
            int64_t place = findPlace(tile, row, index * width, apart);
            ASSERT_EQ(findPlace(tile, row, index * width + 1, apart), place + 1);
            places.insert(place);
            used.insert(place / width % banks);
          }
          EXPECT_EQ(int64_t(used.size()), banks) << "chunk " << index << " of " << chunks << ", rows from " << first;
        }
      EXPECT_EQ(int64_t(places.size()), rows * chunks) << chunks << " chunks";
    }
}

/// Tiles that are read in no particular order, and tiles whose rows are not whole chunks, are row-major.
TEST_F(TileMemory, IsRowMajorForOtherTiles) {
  auto words = MemRefType::get({16, 32}, Float32Type::get(&context));
  auto partial = MemRefType::get({16, 20}, Float16Type::get(&context));
  for (auto [tile, rowsApart] : {std::pair(words, 0), std::pair(partial, 1)})
    for (int64_t row = 0; row < 16; ++row)
      for (int64_t column = 0; column < tile.getDimSize(1); ++column)
        EXPECT_EQ(findPlace(tile, row, column, rowsApart), row * tile.getDimSize(1) + column);
}

/// A tile may be a part of the columns of a larger buffer, so that its rows are not adjacent.
TEST_F(TileMemory, HasThePlaceOfAnElementInABuffer) {
  ImplicitLocOpBuilder b(module->getLoc(), OpBuilder::atBlockEnd(module->getBody()));
  constexpr int64_t rows = 16, stride = 40, firstColumn = 8, columns = 12;
  Value whole = memref::AllocOp::create(b, MemRefType::get({2, rows, stride}, b.getF32Type()));
  auto layout = StridedLayoutAttr::get(&context, rows * stride + firstColumn, {stride, 1});
  auto type = MemRefType::get({rows, columns}, b.getF32Type(), layout);
  SmallVector<OpFoldResult> offsets = getAsIndexOpFoldResult(&context, {1, 0, firstColumn});
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(&context, {1, rows, columns}), ones(3, b.getIndexAttr(1));
  Value tile = memref::SubViewOp::create(b, type, whole, offsets, sizes, ones);
  auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, number); };
  for (int64_t row = 0; row < 8; ++row) {
    TileAccess at = emitTileAccess(b, tile, /*rowsApart=*/0, {constant(row), constant(3), 7, 4}, /*pointers=*/true);
    auto view = at.buffer.getDefiningOp<memref::ReinterpretCastOp>();
    ASSERT_TRUE(view);
    EXPECT_EQ(view.getSource(), whole);
    OpFoldResult offset = view.getMixedOffsets().front();
    ASSERT_TRUE(isa<Value>(offset));
    ArrayRef<int64_t> strides = view.getStaticStrides();
    int64_t place = evaluate(cast<Value>(offset)) + strides[0] * evaluate(at.indices[0]) + evaluate(at.indices[1]);
    EXPECT_EQ(place, rows * stride + stride * (row + 7) + firstColumn + 3 + 4);
  }
}
