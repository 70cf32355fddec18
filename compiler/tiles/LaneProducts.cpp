//===- LaneProducts.cpp - products of tiles -------------------------------===//

#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/FragmentCode.h"
#include "support/KeepRolled.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of steps that are unrolled. More steps remain a loop: otherwise, LLVM and ptxas would move loads
/// forward until the loaded values no longer fit into the registers. For the same reason, only a single step is
/// unrolled outside of a loop along the contraction, where the loads of the tiles may be moved forward, too.
static constexpr int64_t unrolledSteps = 4;
/// The maximum number of products that the body of such a loop computes, unless a single step has more.
static constexpr int64_t maxTogether = 4;

std::optional<LaneCode::LeftFactors> LaneCode::LeftFactors::of(const Fragment &tile) {
  FragmentKind kind = tile.layout.getKind();
  if (!isa<FragmentCode>(kind) || !tile.isWhole() || tile.layout.getWarpsAcross() != 1 ||
      tile.layout.getColumns() % kind.getShape()[2] != 0)
    return std::nullopt;
  FailureOr<SmallVector<ElementPlace>> places = findLeftInSums(kind);
  return succeeded(places) ? std::optional(LeftFactors{tile, *places}) : std::nullopt;
}

/// Returns the left factors of a product if they lie in registers. Emits an error and fails if a lane does not have the
/// elements of its factors.
FailureOr<LaneCode::LeftFactors> LaneCode::findLeftInRegisters(linalg::MatmulOp op, const Fragment &sums) {
  FailureOr<Fragment> fragment = findFragment(op, op.getInputs()[0]);
  if (failed(fragment))
    return failure();
  std::optional<LeftFactors> factors = LeftFactors::of(*fragment);
  if (!factors || placeOf(op.getInputs()[0]) != placeOf(op.getOutputs()[0]))
    return op.emitError() << "has a left factor in registers, but lanes do not have all the elements that they "
                          << "multiply in products of " << sums.layout.getKind();
  return *factors;
}

/// Returns a lane's elements of the left factor that begins at block `first` in row `down` of blocks.
static SmallVector<Value> loadLeft(ImplicitLocOpBuilder &b, const FragmentLayout &layout, Value registers,
                                   ArrayRef<ElementPlace> places, int64_t down, int64_t first) {
  return llvm::map_to_vector(places, [&](const ElementPlace &place) -> Value {
    int64_t number = layout.getFirst(down, first + place.across) + place.element;
    return memref::LoadOp::create(b, registers, Value(arith::ConstantIndexOp::create(b, number)));
  });
}

/// A product of the factors and a matrix of ones has the sum of a row in each of its columns, so each lane gets the
/// sums of its rows: one instruction adds as many elements as it multiplies, and lanes exchange nothing.
void LaneCode::LeftFactors::addTo(ImplicitLocOpBuilder &b, Value totals) const {
  const FragmentLayout &layout = fragment.layout;
  FragmentKind kind = layout.getKind();
  auto code = cast<FragmentCode>(kind);
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(kind.getElementOf(FragmentRole::Right), 1.0));
  SmallVector<Value> ones(kind.getCount(FragmentRole::Right), one);
  SmallVector<SmallVector<int64_t>> rows = layout.findRows();
  int64_t blocks = kind.getShape()[2] / kind.getShape()[1]; // of a left factor
  for (int64_t down = 0; down < layout.getDown(); ++down) {
    SmallVector<Value> sums(layout.getCountInBlock());
    auto placeOfTotal = [&](size_t row) -> Value {
      return arith::ConstantIndexOp::create(b, down * int64_t(rows.size()) + int64_t(row));
    };
    for (auto [row, elements] : llvm::enumerate(rows)) {
      Value total = memref::LoadOp::create(b, totals, placeOfTotal(row));
      for (int64_t element : elements)
        sums[element] = total;
    }
    for (int64_t first = 0; first < layout.getAcross(); first += blocks)
      sums = code.emitProduct(b, loadLeft(b, layout, fragment.registers, places, down, first), ones, sums);
    for (auto [row, elements] : llvm::enumerate(rows))
      memref::StoreOp::create(b, sums[elements.front()], totals, placeOfTotal(row));
  }
}

/// Each warp adds products to its blocks of the sum, in steps along the contraction. The kind determines the number of
/// elements that a step multiplies along the contraction.
LogicalResult LaneCode::product(linalg::MatmulOp op) {
  FailureOr<Fragment> sums = findFragment(op, op.getOutputs()[0]);
  if (failed(sums))
    return failure();
  const FragmentLayout &layout = sums->layout;
  auto code = dyn_cast<FragmentCode>(layout.getKind());
  Value leftTile = findWorkgroupTile(op.getInputs()[0]), rightTile = findWorkgroupTile(op.getInputs()[1]);
  bool isLeftInRegisters = isa_and_nonnull<FragmentsAttr>(placeOf(op.getInputs()[0]));
  if ((!leftTile && !isLeftInRegisters) || !rightTile)
    return op.emitError("expects whole tiles in workgroup memory as factors, found ")
           << op.getInputs()[0].getType() << " and " << op.getInputs()[1].getType();
  if (!sums->isWhole())
    return op.emitError("adds to a part of a tile in registers, for which lanes have no code");
  auto left = cast<MemRefType>((leftTile ? leftTile : op.getInputs()[0]).getType());
  auto right = cast<MemRefType>(rightTile.getType());
  bool isTransposed = linalg::MatmulTransposeBOp::classof(op); // then the right tile is N x K
  if (!code)
    return op.emitError() << "cannot be computed in fragments of " << layout.getKind() << ", a kind without products";
  int64_t depth = left.getDimSize(1), step = layout.getKind().getShape()[2];
  if ((op.hasUserDefinedMaps() && !isTransposed) || left.getDimSize(0) != layout.getRows() ||
      right.getDimSize(isTransposed ? 0 : 1) != layout.getColumns() || depth % step != 0 ||
      left.getElementType() != layout.getKind().getElementOf(FragmentRole::Left) ||
      right.getElementType() != layout.getKind().getElementOf(FragmentRole::Right))
    return op.emitError() << "cannot be computed in fragments of " << layout.getKind() << ": expects factors "
                          << layout.getRows() << " x K and K x " << layout.getColumns() << " of "
                          << layout.getKind().getElementOf(FragmentRole::Left) << " with K a multiple of " << step
                          << ", found " << left << " and " << right;
  std::optional<LeftFactors> inRegisters;
  if (isLeftInRegisters) {
    FailureOr<LeftFactors> found = findLeftInRegisters(op, *sums);
    if (failed(found))
      return failure();
    inRegisters = *found;
  }
  SmallVector<Value> readTiles = {rightTile};
  if (leftTile)
    readTiles.push_back(leftTile);
  barriers.beforeReads(readTiles);
  // Emits the step that begins `shift` columns of the left tile after `start`, which is 0 outside of a loop.
  auto emitStep = [&](Value start, int64_t shift) {
    auto load = [&](FragmentRole role, Value buffer, const TileElement &first, int64_t blocks) {
      bool isOfTransposed = isTransposed && role == FragmentRole::Right;
      FragmentSource source = {buffer, emitLane(b, thread), first, findRowsApart(buffer), isOfTransposed,
                               facts.pointers};
      return code.emitLoad(b, role, source, blocks);
    };
    // Calls `visit` with the first block and the number of blocks of each load.
    auto forEachLoad = [&](FragmentRole role, int64_t count, function_ref<void(int64_t, int64_t)> visit) {
      int64_t together = code.getBlocksOfLoad(role);
      for (int64_t first = 0; first < count; first += together)
        visit(first, std::min(together, count - first));
    };
    SmallVector<SmallVector<Value>> factors;
    for (int64_t down = 0; inRegisters && down < layout.getDown(); ++down) {
      const auto &[fragment, places] = *inRegisters;
      int64_t first = shift / layout.getKind().getShape()[1]; // the first block of the factor in its row of blocks
      factors.push_back(loadLeft(b, fragment.layout, fragment.registers, places, down, first));
    }
    forEachLoad(FragmentRole::Left, inRegisters ? 0 : layout.getDown(), [&](int64_t down, int64_t blocks) {
      TileElement first = {layout.emitRow(b, thread, 0), start, down * layout.getKind().getShape()[0], shift};
      llvm::append_range(factors, load(FragmentRole::Left, leftTile, first, blocks));
    });
    forEachLoad(FragmentRole::Right, layout.getAcross(), [&](int64_t across, int64_t blocks) {
      TileElement first = {start, layout.emitColumn(b, thread, 0), shift, across * layout.getKind().getShape()[1]};
      auto columns = load(FragmentRole::Right, rightTile, first, blocks);
      for (int64_t block = 0; block < blocks; ++block)
        for (int64_t down = 0; down < layout.getDown(); ++down) {
          int64_t first = layout.getFirst(down, across + block);
          SmallVector<Value> elements;
          for (int64_t i = 0; i < layout.getCountInBlock(); ++i)
            elements.push_back(this->load(sums->registers, first + i));
          for (auto [i, sum] : llvm::enumerate(code.emitProduct(b, factors[down], columns[block], elements)))
            store(sum, sums->registers, first + int64_t(i));
        }
    });
  };
  if (inRegisters || depth / step <= (op->getParentOfType<scf::ForOp>() ? unrolledSteps : 1)) {
    for (int64_t start = 0; start < depth; start += step)
      emitStep(constant(0), start);
    return success();
  }
  int64_t together = maxTogether / (layout.getDown() * layout.getAcross()); // the number of steps in the loop's body
  while (together > 1 && depth % (together * step) != 0)
    --together;
  together = std::max<int64_t>(together, 1);
  auto loop = scf::ForOp::create(b, constant(0), constant(depth), constant(together * step));
  loop->setAttr("llvm.loop_annotation", keepRolled(b.getContext()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  for (int64_t i = 0; i < together; ++i)
    emitStep(loop.getInductionVar(), i * step);
  return success();
}
