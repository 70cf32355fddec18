//===- RoundedRows.h - rows of a layer's input as integers or bf16 --------===//

#ifndef HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
#define HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H

#include "ExactColumns.h"
#include "panels/RoundedOperands.h"

namespace heddle {

/// The integers of #heddle.row_rounding, moved by `shift`.
struct StoredIntegers {
  StoredIntegers(RowRoundingAttr rounding, int64_t shift);
  double least, most; // as stored
  int64_t shift;
};

/// f32 [rows]: the step of each row of a tile and, where the rounding has zero points, the zero, not shifted. 1 / step
/// where a row has steps of its own: verify allows for what that product differs from a quotient. Null where an engine's
/// own results are held beside these, which come of divisions.
struct RowSteps {
  mlir::Value step, inverse, zero;
};

/// What is rounded of a tile x [rows, columns] of f32: its bits and those of `kept`, i32 [columns]; null: all of it.
struct RowNumbers {
  mlir::Value x, kept;
};

/// What `rounding` says of the input [M, K] as a whole: f32 scalars, NaN where it holds a number that is not finite;
/// null where each row, or block, has steps of its own, or a file says what they are.
RowSteps emitTensorSteps(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &input, RowRoundingAttr rounding);
/// Those of a tile [rows, columns] of f32, a block or all of its rows; `whole` is that of the input. A row with a NaN,
/// an infinity or too large a range has the step NaN where it is its own; where a file says it, one with a NaN.
RowSteps emitRowSteps(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers, RowRoundingAttr rounding,
                      const RowSteps &whole);

/// Of each row of numbers [rows, columns], as bits [rows]: the largest magnitude, or the largest and the smallest
/// element, of which 0 is one.
llvm::SmallVector<mlir::Value> emitExtrema(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers,
                                           bool isUnsigned);
/// The steps of rows or blocks of f32 with such extrema, in any shape.
RowSteps emitStepsOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange extrema, RowRoundingAttr rounding);

/// The integers of a tile, into `target` [rows, columns] of i8 as they are stored, of i16 less their zero, or of f32 as
/// the numbers that they stand for.
mlir::Value emitIntegers(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers, const RowSteps &steps,
                         const StoredIntegers &stored, mlir::Value target);

/// Rows of a tile that hide the latency of their extrema.
inline constexpr int64_t rowsOfTile = 4;

/// Tasks that round the rows of `input` [M, K], as products of so many bytes, or two words or bf16, read them: what
/// RoundedOperands has of rows.
RoundedOperands emitRoundedRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input, RowRoundingAttr rounding,
                                const ExactColumns &exact, int64_t depth, UnsignedSide unsignedSide);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
