//===- RowLayers.h - softmax and norms on tiles of rows ---------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROWLAYERS_H
#define HEDDLE_LOWERING_ROWLAYERS_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace heddle {

/// Returns a new tensor for the results of a reduction of a tile. All elements of the tensor have the given value.
using ReductionStart = llvm::function_ref<mlir::Value(double)>;

/// A softmax of a tile [rows, columns].
struct SoftmaxTile {
  mlir::Value x, target; // the input, and the tensor to write the result into
  bool alongRows = true; // else along columns
  bool streams = false;  // the result bypasses the caches and must not be read again
  bool inPlace = false;  // the exponentials are stored in `x` instead of `target`
};

/// Emits the softmax of a tile in three passes: the maximum; exponentials and their sum; and a multiplication by the
/// reciprocal of the sum. The maximum ignores a NaN, but the sum does not, so the whole row becomes NaN. A row in
/// which all elements are -inf becomes NaN, as in linalg.softmax. Returns the result.
mlir::Value emitSoftmaxTile(mlir::OpBuilder &b, mlir::Location loc, const SoftmaxTile &tile, ReductionStart start);

/// A heddle.layer_norm, or a heddle.rms_norm, which subtracts no mean and has no bias.
struct NormLayer {
  mlir::Value result, input, scale, bias, residual; // scale, bias and residual may be null
  double epsilon;
  bool centred; // whether the mean is subtracted

  /// Returns the operands and attributes of the op, or nullopt if it is not a norm.
  static std::optional<NormLayer> of(mlir::Operation *op);
};

/// Some rows of a norm.
struct NormTile {
  mlir::Value x, residual; // the input, and what is added to it, or null; [rows, columns]
  mlir::Value flags;       // the activity mask, i8 [rows], or null
  mlir::Value target;      // the tensor to write the result into
  int64_t columns;
  bool streams; // whether inputs and results are larger than the caches
};

/// Emits the norm of a tile: a pass for each reduction, and one for the result, which is returned.
mlir::Value emitNormTile(mlir::OpBuilder &b, mlir::Location loc, const NormLayer &layer, const NormTile &tile,
                         ReductionStart start);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROWLAYERS_H
