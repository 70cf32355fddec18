//===- ProductVectorizer.cpp - heddle.tile_product as vectors -------------===//

#include "ProductVectorizer.h"
#include "TileShape.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

LogicalResult ProductVectorizer::vectorize(TileProductOp product) {
  op = product;
  if (!isa<ProductCode>(op.getKind()))
    return op.emitOpError() << "cannot be vectorised: there is no vector code for " << op.getKind();
  depth = op.getKind().getDepth();
  parts = op.getKind().getStepsPerElement();
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  if (weight.getRank() == 3 && weight.getDimSize(0) > 1 && weight.getDimSize(2) / depth % options.lanes != 0)
    return op.emitOpError() << "expects panels whose number of columns is a multiple of " << options.lanes << ", found "
                            << weight.getDimSize(2) / depth;
  b.setLoc(op.getLoc());
  b.setInsertionPoint(op);
  registers.enter(op->getBlock());

  prefetched = llvm::map_to_vector(op.getPrefetched(), [&](Value list) { return b.memory(list); });
  int64_t rows = op.getSumsType().getDimSize(0), columns = op.getSumsType().getDimSize(1), lanes = options.lanes;
  TileShape tile = chooseTile(rows, llvm::divideCeil(columns, lanes), TileUse::Accumulate, options);
  RegisterTile whole;
  RegisterTile *recorded = tile.rows == rows ? &whole : nullptr;
  Value result =
      b.loop(Extent(rows), tile.rows, Values{op.getStart()}, [&](OpFoldResult row, int64_t rowCount, Values outs) {
        return b.loop(Extent(columns), tile.vectors * lanes, outs,
                      [&](OpFoldResult column, int64_t count, Values inner) {
                        return Values{emitTile(piecesOf(row, rowCount, column, count), inner[0], recorded)};
                      });
      })[0];
  registers.add(result, std::move(whole));
  rewriter.replaceOp(op, result);
  return success();
}

/// Returns the vectors of the register tile that begins at `row` and `column`.
SmallVector<ProductVectorizer::Piece> ProductVectorizer::piecesOf(OpFoldResult row, int64_t rows, OpFoldResult column,
                                                                  int64_t columns) {
  SmallVector<Piece> pieces;
  unsigned lanes = options.lanes, vectors = llvm::divideCeil(columns, lanes);
  for (unsigned i = 0; i < rows; ++i) {
    OpFoldResult pieceRow = b.add(row, i);
    for (unsigned j = 0; j < vectors; ++j)
      pieces.push_back(
          {pieceRow, b.add(column, j * lanes), std::min<int64_t>(lanes, columns - j * lanes), j, i * vectors});
  }
  return pieces;
}

/// Emits the products of one register tile. Returns `sums` with the results, which are also added to `recorded` unless
/// it is null.
Value ProductVectorizer::emitTile(ArrayRef<Piece> pieces, Value sums, RegisterTile *recorded) {
  auto kind = cast<ProductCode>(Attribute(op.getKind()));
  int64_t lines = op.getSteps() / parts;
  // Accumulators that are narrower than sums limit the number of steps, and each set of them is widened after the last
  // step. Widening a second set takes longer than waiting for the additions to a single set.
  bool isNarrow = op.getKind().getMaxSteps() < std::numeric_limits<int64_t>::max();
  unsigned count = pieces.size(), sets = isNarrow ? 1 : chooseAccumulators(count, lines, options);
  Values starts;
  for (const Piece &piece : pieces) {
    int64_t width = chooseWidth(piece.valid, options);
    Type vector = VectorType::get({width}, op.getSumsType().getElementType());
    starts.push_back(op.getFromZero() ? Value(arith::ConstantOp::create(b, b.getZeroAttr(vector)))
                                      : registers.vector(sums, {piece.row, piece.column}, width, piece.valid));
  }
  Values zeros; // the initial sums for all sets of accumulators but the first
  if (sets > 1)
    zeros = llvm::map_to_vector(
        starts, [&](Value start) -> Value { return arith::ConstantOp::create(b, b.getZeroAttr(start.getType())); });
  Values accumulators;
  for (unsigned set = 0; set < sets; ++set)
    for (unsigned p = 0; p < count; ++p)
      accumulators.push_back(kind.emitStart(b, set ? zeros[p] : starts[p]));
  accumulators = b.loop(Extent(lines), sets, accumulators, [&](OpFoldResult at, int64_t known, Values carried) {
    for (unsigned set = 0; set < known; ++set)
      emitLine(pieces, b.add(at, set), lines, MutableArrayRef(carried).slice(set * count, count));
    return carried;
  });
  Values totals;
  for (unsigned p = 0; p < count; ++p) {
    Value total = kind.emitSums(b, accumulators[p], starts[p]);
    for (unsigned set = 1; set < sets; ++set) {
      Value part = kind.emitSums(b, accumulators[set * count + p], zeros[p]);
      total = vector::makeArithReduction(b, b.getLoc(), vector::CombiningKind::ADD, part, total);
    }
    totals.push_back(total);
  }
  for (auto [piece, total] : llvm::zip(pieces, totals)) {
    if (recorded)
      recorded->record({piece.row, piece.column}, total, /*isScalar=*/false);
    sums = b.write(total, sums, {piece.row, piece.column}, piece.valid);
  }
  return sums;
}

/// Adds the products of the steps that share line `line` of the weight to the accumulators of the pieces. These steps
/// are `lines` steps apart. Each row and each column is read once.
void ProductVectorizer::emitLine(ArrayRef<Piece> pieces, OpFoldResult line, int64_t lines,
                                 MutableArrayRef<Value> accumulators) {
  auto kind = cast<ProductCode>(Attribute(op.getKind()));
  Values rows(pieces.size()), weights(pieces.size()), numbers(pieces.size());
  for (int64_t part = 0; part < parts; ++part) {
    OpFoldResult step = b.add(line, part * lines);
    for (auto [p, piece] : llvm::enumerate(pieces)) {
      int64_t width = chooseWidth(piece.valid, options);
      if (piece.left == p)
        rows[p] = readRow(piece, step, width);
      if (piece.first == p && part == 0)
        weights[p] = readWeight(piece, line, width);
      if (piece.first == p)
        numbers[p] = kind.emitNumbers(b, weights[p], part);
      if (p == 0)
        emitPrefetches(step);
      // The row was broadcast to the full width of the first vector, and is cut where half a vector is enough.
      Value row = b.resized(rows[piece.left], width * depth);
      accumulators[p] = kind.emitStep(b, row, numbers[piece.first], accumulators[p]);
    }
  }
}

void ProductVectorizer::emitPrefetches(OpFoldResult step) {
  for (auto [list, every] : llvm::zip(prefetched, op.getEvery())) {
    AffineMap number = AffineMap::get(1, 0, b.getAffineDimExpr(0).floorDiv(every));
    OpFoldResult at = affine::makeComposedFoldedAffineApply(b, b.getLoc(), number, {step});
    b.prefetch(list, at, op.getLocality());
  }
}

/// Reads the `depth` elements of a row that belong to a step, and broadcasts them to all lanes.
Value ProductVectorizer::readRow(const Piece &piece, OpFoldResult step, int64_t width) {
  Value few = b.read(op.getRows(), {piece.row, step, b.getIndexAttr(0)}, depth, depth);
  Type element = getElementTypeOrSelf(few);
  Type together = b.getIntegerType(depth * element.getIntOrFloatBitWidth());
  Value one = vector::BitCastOp::create(b, VectorType::get({1}, together), few);
  Value all = b.broadcast(vector::ExtractOp::create(b, one, 0), width);
  return vector::BitCastOp::create(b, VectorType::get({width * depth}, element), all);
}

/// Reads the `depth` elements of each of the piece's columns in a line of the weight.
Value ProductVectorizer::readWeight(const Piece &piece, OpFoldResult line, int64_t width) {
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  AffineExpr column = b.getAffineDimExpr(0);
  auto at = [&](AffineExpr index) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), AffineMap::get(1, 0, index), {piece.column});
  };
  SmallVector<OpFoldResult> place;
  if (type.getRank() == 2) {
    place = {line, at(column * depth)};
  } else {
    int64_t panel = type.getDimSize(2) / depth;
    place = {at(column.floorDiv(panel)), line, at(column % panel * depth)};
  }
  return b.read(op.getWeight(), place, width * depth, piece.valid * depth);
}
