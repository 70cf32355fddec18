//===- Hints.cpp - prefetches and load order ------------------------------===//

#include "Hints.h"

#include "Heddle.h"
#include "ReadNotes.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t lineBits = 64 * 8, pageBytes = 4096; // the sizes of a cache line and of a page

void heddle::keepOrder(ImplicitLocOpBuilder &b) {
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, StringRef("singlethread"));
}

/// Returns the element type of a tensor in memory. If the tensor is the result of a heddle.dequantize, which
/// widens elements when they are read, the element type of the op's input is returned.
static Type elementInMemory(Value tensor) {
  tensor = findViewedTensor(tensor);
  auto stored = tensor.getDefiningOp<DequantizeOp>();
  return getElementTypeOrSelf(stored ? stored.getInput() : tensor);
}

/// Returns how many rows of the tensor, with elements of `bits` bits, fit into `bytes` bytes, at least 1. Returns 0 if
/// the tensor has fewer than two dimensions or the size of a row is not known.
static int64_t rowsIn(int64_t bytes, Value tensor, unsigned bits) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() < 2 || type.isDynamicDim(type.getRank() - 1))
    return 0;
  int64_t row = type.getShape().back() * llvm::divideCeil(bits, 8);
  return row ? std::max<int64_t>(bytes / row, 1) : 0;
}

ReadPrefetcher::ReadPrefetcher(VectorBuilder &b, linalg::LinalgOp op, unsigned lane) {
  std::optional<int64_t> bytes = notes::prefetchBytes.get(op);
  if (!bytes)
    return;
  locality = unsigned(4 - std::clamp<int64_t>(notes::prefetchCache.get(op).value_or(1), 1, 3));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned computed = getElementTypeOrSelf(op.getDpsInits()[0]).getIntOrFloatBitWidth();
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    bool reduces = llvm::any_of(llvm::seq<unsigned>(0, iterators.size()), [&](unsigned loop) {
      return iterators[loop] == utils::IteratorType::reduction && map.isFunctionOfDim(loop);
    });
    Type element = type ? elementInMemory(input->get()) : Type();
    if (!element || !element.isIntOrFloat() || !reduces || !map.isFunctionOfDim(lane))
      continue;
    // A prefetch into the second or third cache must precede the read by a certain time rather than by a number of
    // bytes. A row that is stored in fewer bits takes as long to compute as a row of full width. In this case, the
    // distance is therefore the number of bytes that the elements would have in the type in which they are computed.
    unsigned bits = element.getIntOrFloatBitWidth();
    int64_t rows = rowsIn(*bytes, input->get(), locality < 3 ? computed : bits);
    if (!rows)
      continue;
    int64_t line = bits < computed ? lineBits / bits : 0;
    int64_t period = locality < 3 && !line ? rowsIn(pageBytes, input->get(), bits) : 0;
    inputs.push_back({input->getOperandNumber(), b.memory(input->get()), rows, line, period});
  }
}

void ReadPrefetcher::prefetch(VectorBuilder &b, OpOperand &input, VectorBuilder::Indices at, const Piece &piece) const {
  const auto *found = llvm::find_if(inputs, [&](const Input &one) { return one.number == input.getOperandNumber(); });
  if (found == inputs.end() || (found->line && piece.number))
    return;
  if (found->period)
    return prefetchFromPage(b, *found, at, piece);
  SmallVector<OpFoldResult> place(at);
  OpFoldResult &row = place[place.size() - 2];
  row = b.add(row, found->rows);
  for (int64_t from = 0, all = found->line ? piece.count * piece.width : 1; from < all; from += found->line) {
    place.back() = b.add(at.back(), from);
    b.prefetch(found->memory, place, locality);
    if (!found->line)
      return;
  }
}

/// Prefetches one line of each page. If a page holds more rows than a tile, the emitted code tests the index of the
/// row, so that only one tile in each page prefetches.
void ReadPrefetcher::prefetchFromPage(VectorBuilder &b, const Input &input, VectorBuilder::Indices at,
                                      const Piece &piece) const {
  int64_t bits = cast<MemRefType>(input.memory.getType()).getElementTypeBitWidth();
  // The number of vectors per page. Only the first vector in each page of a row prefetches.
  int64_t vectors = std::max<int64_t>(pageBytes * 8 / (piece.width * bits), 1);
  if (piece.number % vectors || piece.row % input.period)
    return;
  SmallVector<OpFoldResult> place(at);
  OpFoldResult &row = place[place.size() - 2];
  OpBuilder::InsertionGuard guard(b);
  if (input.period > piece.rows) {
    Value number = arith::RemUIOp::create(b, b.index(row), b.index(b.getIndexAttr(input.period)));
    Value prefetches =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, b.index(b.getIndexAttr(piece.rows)));
    b.setInsertionPointToStart(scf::IfOp::create(b, prefetches, /*withElseRegion=*/false).thenBlock());
  }
  row = b.add(row, input.rows);
  b.prefetch(input.memory, place, locality);
}
