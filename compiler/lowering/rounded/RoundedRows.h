//===- RoundedRows.h - rows of a layer's input as integers or bf16 --------===//

#ifndef HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
#define HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H

#include "RoundedOperands.h"

namespace heddle {

/// The integers of #heddle.row_rounding, moved by `shift`.
struct StoredIntegers {
  StoredIntegers(RowRoundingAttr rounding, int64_t shift);
  double least, most; // as stored
  int64_t shift;
};

/// f32 [rows]: the step of each row of a tile and, where the rounding has zero points, the zero, not shifted.
struct RowSteps {
  mlir::Value step, zero;
};
/// Those of a tile x [rows, columns] of f32, where each row has its own. A row with a NaN, an infinity or too large a
/// range has the step NaN.
RowSteps emitRowSteps(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, bool isUnsigned);

/// The integers of x, into `target` [rows, columns] of i8 as they are stored, or of f32 as the numbers that they stand
/// for.
mlir::Value emitIntegers(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, RowSteps steps,
                         const StoredIntegers &stored, mlir::Value target);

/// x [rows, columns] in memory of its own, zeros in these columns.
mlir::Value emitWithout(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, llvm::ArrayRef<int64_t> columns);

/// Tasks that round the rows of `input` [M, K], as products of bytes or bf16 read them: what RoundedOperands has of
/// rows.
RoundedOperands emitRoundedRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input, RowRoundingAttr rounding,
                                int64_t depth, UnsignedSide unsignedSide);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
