//===- ContractionParts.h - a contraction in parts that fit the cache -----===//

#ifndef HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
#define HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Into how many equal parts along K a panel of `k` rows of `rowBytes` is cut, so that one part is at most `panelBytes`
/// (0: no limit). Many input rows go along a panel again and again: a part stays in the cache, the whole panel may not.
/// bench/MEASUREMENTS.md has what it brings.
int64_t cutContraction(int64_t inputRows, int64_t k, int64_t rowBytes, int64_t panelBytes);

/// sums + the product of `rows` rows from `at` on with part `which` of the panel.
using AddPart = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult at, int64_t rows,
                                               mlir::Value which, mlir::Value sums)>;

/// The products with all parts of the panel but the last, added up in memory of this type, floats or integers, `step`
/// rows at a time.
mlir::Value emitPartSums(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, int64_t step,
                         int64_t parts, AddPart add);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
