//===- RoundedOperands.h - what products of few bits are made of *- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H
#define HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Which side of products of bytes has no sign, if any.
enum class UnsignedSide { None, Rows, Weight };

/// A layer's rows, rounded, and its weight, as what they are stored in. Of M rows, K columns of the input, K' of them
/// after rounding up to whole dots, and N columns of the result; B blocks along K, 1 where a row has one step.
struct RoundedOperands {
  mlir::Value rows;        // [M, K'] i8 or bf16, or i16: integers without their zero
  int64_t depth = 1;       // how many of a row a lane multiplies at a time: 4 bytes, 2 others
  UnsignedSide unsignedSide = UnsignedSide::None;
  int64_t block = 0;       // columns of a block; 0: the row is one
  mlir::Value weight;      // in panels: [P, K' / depth, panel x depth], or [abreast, P, ..]
  mlir::Value steps;       // f32 [M], or [M, B]; null: rows are floats
  mlir::Value zeros;       // f32 [M], or [M, B], integers; null: `zero` for all
  int64_t zero = 0;
  mlir::Value scales;      // f32 [N] of the weight, or in blocks [P, B, panel], or [B, N] where panels lie abreast
  mlir::Value sums;        // f32 alike, of each column of the weight, integers; null where all zeros are 0
  mlir::Value rowSums;     // i32 [M, B], of each block of rows, where the weight has no sign: it is 128 too large
  mlir::Value exactRows;   // f32 [M, E], columns of the input that are not rounded; null: none
  mlir::Value exactWeight; // f32 [E, N]
};

/// start + rows x weights: rows [m, k, depth] and weights [k, n x depth], or [panels, k, panel x depth], as integers or
/// bf16, start [m, n] of i32 or f32. `others` are read along the way by maps of the loops (row, column, k, t): what is
/// brought into a cache.
mlir::linalg::GenericOp emitDots(mlir::OpBuilder &b, mlir::Location loc, mlir::Value rows, mlir::Value weights,
                                 mlir::Value start, UnsignedSide unsignedSide,
                                 llvm::ArrayRef<mlir::Value> others = {}, llvm::ArrayRef<mlir::AffineMap> maps = {});

/// A tile of the result.
struct ProductTile {
  mlir::OpFoldResult row, column;
  int64_t rows, columns;
  mlir::OpFoldResult panel = {}; // number of the panel, where scales are in panels
  mlir::Value bias = {}; // [columns], what products of integers are added to, with the last multiplication; null: none
};

/// The layer's products of a tile in f32: of sums of products [rows, columns or more] of one step a row, or of what
/// emitBlockSums makes, and of the exact columns.
mlir::Value emitProducts(mlir::OpBuilder &b, mlir::Location loc, const RoundedOperands &operands, mlir::Value sums,
                         const ProductTile &tile);

/// The sums [rows, columns] in f32 of rows with a step for each block, and the bias: of rows [rows, K'] and weights as
/// emitDots takes them.
mlir::Value emitBlockSums(mlir::OpBuilder &b, mlir::Location loc, const RoundedOperands &operands, mlir::Value rows,
                          mlir::Value weights, const ProductTile &tile);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_ROUNDEDOPERANDS_H
