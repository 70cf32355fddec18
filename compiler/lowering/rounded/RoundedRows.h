//===- RoundedRows.h - rows rounded to integers or bf16 -------------------===//

#ifndef HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
#define HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H

#include "OutlierChannels.h"
#include "panels/RoundedOperands.h"

namespace heddle {

/// The integers that a #heddle.row_rounding yields, after `shift` was added to them. Rows of bytes need a shift if the
/// rounding yields signed integers and products need unsigned ones, or vice versa.
struct StoredIntegers {
  StoredIntegers(RowRoundingAttr rounding, int64_t shift);
  double minimum, maximum; // the range of stored integers, including the shift
  int64_t shift;
};

/// Scale, inverse scale and zero point of each row of a tile, f32 [rows] each. `zero` is not shifted; it is null if the
/// rounding has no zero points. `inverse` is 1 / scale. If each row has its own scale, rows are multiplied by `inverse`
/// instead of divided by `scale`; `verify` tolerates the difference. `inverse` is null if the model sets the scale or
/// if all rows share one scale: results must then equal the results of an inference engine, which divides.
struct RowScales {
  mlir::Value scale, inverse, zero;
};

/// The elements of a tile to round: x [rows, columns] of f32. `mask`, i32 [columns], contains bit masks that are
/// applied to x by AND; they are 0 for outlier channels. If `mask` is null, no masks are applied.
struct RowNumbers {
  mlir::Value x, mask;
};

/// Returns the scale of the whole input [M, K], and the zero point if the rounding has zero points, as f32 scalars. The
/// scale is NaN if an element of the input is not finite or if the range of the elements is too large. Both are null if
/// each row or block has a scale of its own, or if the model sets the scale.
RowScales emitTensorScales(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &input, RowRoundingAttr rounding);
/// Returns the scales of a tile [rows, columns] of f32, which is a block or all columns of its rows. `whole` is the
/// result of emitTensorScales; if it has a scale, all rows get this scale. Otherwise, the scale of a row is NaN if the
/// row contains a NaN or an infinity or if its range is too large. If the model sets the scale, the scale of a row is
/// NaN only if the row contains a NaN.
RowScales emitRowScales(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers, RowRoundingAttr rounding,
                        const RowScales &whole);

/// Returns the extrema of each row as the bits of f32 [rows]: the largest magnitude; or, if `isUnsigned`, the larger of
/// 0 and the largest element, and the smaller of 0 and the smallest element.
llvm::SmallVector<mlir::Value> emitExtrema(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers,
                                           bool isUnsigned);
/// Returns the scales of rows or blocks with these extrema, which emitExtrema computed; the tensors may have any shape.
RowScales emitScalesOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange extrema, RowRoundingAttr rounding);

/// Rounds a tile to integers, into `target` [rows, columns]. The elements of a target of i8 are the integers plus
/// `stored.shift`; of i16, the integers minus their zero point; and of f32, this difference times the scale.
mlir::Value emitIntegers(mlir::OpBuilder &b, mlir::Location loc, const RowNumbers &numbers, const RowScales &scales,
                         const StoredIntegers &stored, mlir::Value target);

/// The number of rows of a tile of the tasks that round rows. Four rows are enough to hide the latency of the
/// computation of extrema.
inline constexpr int64_t rowsOfTile = 4;

/// Emits tasks that round the rows of `input` [M, K], for products of `kind`. Returns the members of RoundedOperands
/// that belong to the rows. `group`: the number of columns for which `rowTotals` has a total; 0: there are no totals.
/// Otherwise rows are rounded to unsigned integers with a scale for each block, and `group` divides the blocks.
RoundedOperands emitRoundedRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input, RowRoundingAttr rounding,
                                const OutlierChannels &outliers, ProductKind kind, int64_t group);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_ROUNDEDROWS_H
