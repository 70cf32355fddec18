//===- LowerTileProducts.cpp - heddle.tile_product as AMX operations ------===//
//
// Lowers products whose kind implements the interface MatrixCode. The sums of
// a few rows and columns of tiles stay in tile registers while a loop over the
// steps adds products.
//
// LLVM configures the shapes of all tile registers once for a function, and a
// register has one shape. All products of a kind have tiles of the same shapes
// (ProductUnit.h): one shape for sums, one for rows and one for the weight. In
// a whole function, at most 6 tiles of sums, one tile of the rows and one tile
// of the weight are in use at a time, which are the 8 registers. LLVM
// therefore never has to spill a tile.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "kinds/MatrixCode.h"
#include "support/KeepRolled.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_LOWERTILEPRODUCTS
#include "heddle/Passes.h.inc"
} // namespace heddle

// The maximum number of rows and columns of tiles in a group, so that its sums leave two of the 8 AMX tile registers.
static constexpr int64_t maxGroupRows = 2, maxGroupColumns = 3;

namespace {
/// Lowers one product.
struct ProductBuilder : ImplicitLocOpBuilder {
  ProductBuilder(TileProductOp op, RewriterBase &rewriter)
      : ImplicitLocOpBuilder(op.getLoc(), rewriter), op(op), kind(op.getKind()), unit(kind.getUnit()) {}

  /// Emits the whole product.
  void run();

private:
  /// A part of the sums: `rows` x `columns` tiles, the first of which begins at (row, column).
  struct Group {
    int64_t row, column, rows, columns;
  };
  using Values = SmallVector<Value>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
  Value load(Type element, int64_t rows, int64_t columns, Value buffer, ValueRange at) {
    return amx::TileLoadOp::create(*this, amx::TileType::get({rows, columns}, element), buffer, at);
  }
  void emitGroup(const Group &group, bool prefetches);
  Values emitSteps(const Group &group, Value step, ValueRange sums);
  Value loadWeight(Value step, int64_t column);
  void emitPrefetches(Value step);

  TileProductOp op;
  ProductKind kind;
  ProductUnit unit;
  Value rows; // the operand `rows`, [rows, steps, depth], as a matrix, [rows, steps x depth]
};
} // namespace

/// Loads the tile of the weight that begins at a step and a column.
Value ProductBuilder::loadWeight(Value step, int64_t column) {
  int64_t depth = kind.getDepth();
  auto type = cast<MemRefType>(op.getWeight().getType());
  Values at = {step, index(column * depth)};
  if (type.getRank() == 3) {
    int64_t panel = type.getDimSize(2) / depth;
    at = {index(column / panel), step, index(column % panel * depth)};
  }
  return load(kind.getWeightElement(), unit.steps, unit.columns * depth, op.getWeight(), at);
}

/// Prefetches the cache lines that the operands `prefetch` list for the steps of a unit. If a line belongs to several
/// units, each of them prefetches it.
void ProductBuilder::emitPrefetches(Value step) {
  for (auto [list, every] : llvm::zip_equal(op.getPrefetched(), op.getEvery()))
    for (int64_t ahead = 0; ahead < unit.steps; ahead += every) {
      Value at = arith::AddIOp::create(*this, step, index(ahead));
      Value line = arith::DivUIOp::create(*this, at, index(every));
      memref::PrefetchOp::create(*this, list, line, /*isWrite=*/false, op.getLocality(), /*isDataCache=*/true);
    }
}

/// Returns `sums` plus the products of the steps of a unit, from `step` on. The rows of tiles are traversed in
/// alternating directions, so that each row of tiles begins with the tile of the weight that the row before it ended
/// with.
ProductBuilder::Values ProductBuilder::emitSteps(const Group &group, Value step, ValueRange sums) {
  auto code = cast<MatrixCode>(Attribute(kind));
  int64_t depth = kind.getDepth();
  Value from = arith::MulIOp::create(*this, step, index(depth));
  Values results(sums);
  Value weight;
  for (int64_t i = 0; i < group.rows; ++i) {
    Value left = load(kind.getRowsElement(), unit.rows, unit.steps * depth, rows,
                      {index(group.row + i * unit.rows), from});
    for (int64_t each = 0; each < group.columns; ++each) {
      int64_t j = i % 2 ? group.columns - 1 - each : each;
      if (i == 0 || each > 0)
        weight = loadWeight(step, group.column + j * unit.columns);
      Value &sum = results[i * group.columns + j];
      sum = code.emitProduct(*this, left, weight, sum);
    }
  }
  return results;
}

/// Emits the product of a group. `prefetches` determines whether the code of this group prefetches the cache lines that
/// the operation lists.
void ProductBuilder::emitGroup(const Group &group, bool prefetches) {
  auto type = amx::TileType::get({unit.rows, unit.columns}, kind.getSumElement());
  Values sums;
  auto place = [&](int64_t tile) -> Values {
    return {index(group.row + tile / group.columns * unit.rows),
            index(group.column + tile % group.columns * unit.columns)};
  };
  int64_t tiles = group.rows * group.columns, steps = op.getSteps();
  for (int64_t tile = 0; tile < tiles; ++tile)
    sums.push_back(op.getFromZero() ? Value(amx::TileZeroOp::create(*this, type))
                                    : Value(amx::TileLoadOp::create(*this, type, op.getStart(), place(tile))));
  auto body = [&](Value step, ValueRange carried) {
    if (prefetches)
      emitPrefetches(step);
    return emitSteps(group, step, carried);
  };
  if (steps == unit.steps) {
    sums = body(index(0), sums);
  } else if (steps) {
    auto loop = scf::ForOp::create(*this, index(0), index(steps), index(unit.steps), sums);
    loop->setAttr("loop_annotation", keepRolled(getContext()));
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(*this, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    sums.assign(loop.result_begin(), loop.result_end());
  }
  for (auto [tile, sum] : llvm::enumerate(sums))
    amx::TileStoreOp::create(*this, op.getStart(), place(tile), sum);
}

void ProductBuilder::run() {
  rows = memref::CollapseShapeOp::create(*this, op.getRows(), ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  int64_t rowTiles = op.getSumsType().getDimSize(0) / unit.rows;
  int64_t columnTiles = op.getSumsType().getDimSize(1) / unit.columns;
  int64_t width = llvm::divideCeil(columnTiles, llvm::divideCeil(columnTiles, maxGroupColumns));
  for (int64_t i = 0, count; i < rowTiles; i += count) {
    count = std::min(maxGroupRows, rowTiles - i);
    for (int64_t j = 0; j < columnTiles; j += width)
      emitGroup({i * unit.rows, j * unit.columns, count, std::min(width, columnTiles - j)}, i == 0 && j == 0);
  }
}

/// Returns why the pass cannot lower a product of buffers, or "" if it can.
static StringRef whyNot(TileProductOp op) {
  if (!isa<MatrixCode>(Attribute(op.getKind())))
    return "needs a kind that matrix instructions compute";
  for (Value operand : {op.getRows(), op.getWeight(), op.getStart()}) {
    int64_t offset;
    SmallVector<int64_t> strides;
    if (failed(cast<MemRefType>(operand.getType()).getStridesAndOffset(strides, offset)) || strides.back() != 1)
      return "needs buffers whose last dimension is contiguous";
  }
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(cast<MemRefType>(op.getRows().getType()), {{0}, {1, 2}}))
    return "needs rows whose last two dimensions are contiguous";
  return "";
}

namespace {
struct LowerTileProducts : heddle::impl::LowerTileProductsBase<LowerTileProducts> {
  void runOnOperation() override {
    SmallVector<TileProductOp> products;
    getOperation()->walk([&](TileProductOp op) { products.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (TileProductOp op : products) {
      if (StringRef reason = isa<MemRefType>(op.getStart().getType()) ? whyNot(op) : "needs buffers"; !reason.empty()) {
        op.emitOpError(reason);
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      ProductBuilder(op, rewriter).run();
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
