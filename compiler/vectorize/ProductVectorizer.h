//===- ProductVectorizer.h - heddle.tile_product as vectors -----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_PRODUCTVECTORIZER_H
#define HEDDLE_VECTORIZE_PRODUCTVECTORIZER_H

#include "RegisterTiles.h"
#include "Vectorizer.h"

#include "Heddle.h"
#include "kinds/ProductCode.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Rewrites heddle.tile_product, which adds the product of a tile of rows and a tile of a weight to a tile of sums, as
/// loops over register tiles. The columns of the result lie along the lanes of 1-D vectors. A register tile has the
/// accumulators of some rows and vectors, and a loop over the steps of the product carries them. A result that is a
/// single register tile is passed to the next op in registers.
class ProductVectorizer {
public:
  /// `registers` has the register tiles of the ops that were vectorised before.
  ProductVectorizer(mlir::RewriterBase &rewriter, VectorBuilder &b, RegisterTiles &registers,
                    const VectorOptions &options)
      : rewriter(rewriter), b(b), registers(registers), options(options) {}

  /// Replaces the op. Emits an error and fails if there is no code for its kind, or if the weight has several panels
  /// whose width is not a multiple of the number of lanes.
  mlir::LogicalResult vectorize(TileProductOp product);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A vector of the register tile: its row, its first column, and the number of its columns.
  struct Piece {
    mlir::OpFoldResult row, column;
    int64_t valid;
    /// `first`: the index of the piece with the same columns in the first row. `left`: the index of the first piece in
    /// the same row.
    unsigned first, left;
  };

  llvm::SmallVector<Piece> piecesOf(mlir::OpFoldResult row, int64_t rows, mlir::OpFoldResult column, int64_t columns);
  mlir::Value emitTile(llvm::ArrayRef<Piece> pieces, mlir::Value sums, RegisterTile *recorded);
  void emitLine(llvm::ArrayRef<Piece> pieces, mlir::OpFoldResult line, int64_t lines,
                llvm::MutableArrayRef<mlir::Value> accumulators);
  void emitPrefetches(mlir::OpFoldResult step);
  mlir::Value readRow(const Piece &piece, mlir::OpFoldResult step, int64_t width);
  mlir::Value readWeight(const Piece &piece, mlir::OpFoldResult line, int64_t width);

  mlir::RewriterBase &rewriter;
  VectorBuilder &b;
  RegisterTiles &registers;
  VectorOptions options;

  // State of the op that is being rewritten.
  TileProductOp op;
  int64_t depth = 1; // the number of products that a step adds to a sum
  int64_t parts = 1; // the number of steps whose numbers share an element of the weight
  Values prefetched; // the buffers of the tensors that are prefetched
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_PRODUCTVECTORIZER_H
