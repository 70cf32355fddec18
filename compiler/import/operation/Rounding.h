//===- Rounding.h - knobs for layers in low precision -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_ROUNDING_H
#define HEDDLE_IMPORT_OPERATION_ROUNDING_H

#include "Builders.h"

namespace heddle {

/// The knobs `rounding`, `outliers` and `activation_scale` of a layer with `k` columns. int8 has a scale for each row, or
/// one given scale (`activation_scale`) for all, and a scale for each column of the weight; int8-tensor has a single
/// scale for all rows; int8-block has scales for each 32 elements of a row and of a column. bf16 and f16 round both the
/// rows and the weight to this type. `outliers` is the number of outlier channels.
class LayerRounding {
public:
  LayerRounding(OperationBuilder &builder, int64_t k);

  /// How rows are rounded; null if they are not.
  RowRoundingAttr rows() const { return rounding; }
  /// The weight [K, N] in its stored form if it is constant, else the weight itself.
  mlir::Value stored(mlir::Value weight) const;

private:
  OperationBuilder &builder;
  RowRoundingAttr rounding;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_ROUNDING_H
