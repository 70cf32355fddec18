//===- Rounding.h - knobs for layers in low precision -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_ROUNDING_H
#define HEDDLE_IMPORT_OPERATION_ROUNDING_H

#include "Builders.h"

namespace heddle {

/// The knobs `rounding`, `outliers` and `activation_scale` of a quoted layer. With rounding=int8, each row of the input
/// has a scale, unless `activation_scale` is one scale for all rows; each column of the weight has a scale. With
/// int8-tensor, the compiled code computes one scale for all rows in each call of the model. With int8-block, 32
/// consecutive elements of a row or column share a scale. With bf16 or f16, rows and weight are rounded to this type.
/// `outliers` is the number of outlier channels: columns of the input that are not rounded.
class LayerRounding {
public:
  /// Reads the knobs. `k` is the number of columns of the layer's input.
  LayerRounding(OperationBuilder &builder, int64_t k);

  /// The rounding of the input's rows; null if they are not rounded.
  RowRoundingAttr rows() const { return rounding; }
  /// Stores a constant weight [K, N] in the rounded format, and returns the dequantised weight. Returns `weight` itself
  /// if it is not constant or if rows are not rounded.
  mlir::Value stored(mlir::Value weight) const;

private:
  OperationBuilder &builder;
  RowRoundingAttr rounding;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_ROUNDING_H
