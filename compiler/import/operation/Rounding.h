//===- Rounding.h - knobs of layers in few bits -----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_ROUNDING_H
#define HEDDLE_IMPORT_OPERATION_ROUNDING_H

#include "Builders.h"

namespace heddle {

/// What the knobs `rounding`, `exact` and `step` say of a layer with `k` columns: int8 is a step for each row, or the
/// one that is given, and a scale for each column of the weight, int8-tensor one step for all rows, int8-block both for
/// 32 of a row at a time, bf16 and f16 both sides in these.
class LayerRounding {
public:
  LayerRounding(OperationBuilder &builder, int64_t k);

  /// Null: rows are not rounded.
  RowRoundingAttr rows() const { return rounding; }
  /// The weight [K, N] as it is stored then, where it is constant.
  mlir::Value stored(mlir::Value weight) const;

private:
  OperationBuilder &builder;
  RowRoundingAttr rounding;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_ROUNDING_H
