//===- ContractionParts.h - a contraction in parts that fit the cache -----===//

#ifndef HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
#define HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// In how many equal parts a panel of `k` rows of `rowBytes` is used. Many rows of input go along it again and again:
/// one that leaves no room in the cache is cut along the contraction, so that a part, of at most `panelBytes`, stays
/// (0: no limit). (1 MiB of second-level cache, 512 rows: K = 3072 takes 1.02 to 1.04 of the time, K = 4096 0.975,
/// K = 8192 0.89.)
int64_t cutContraction(int64_t inputRows, int64_t k, int64_t rowBytes, int64_t panelBytes);

/// sums + the product of `rows` rows from `at` on with part `which` of the panel.
using AddPart = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult at, int64_t rows,
                                               mlir::Value which, mlir::Value sums)>;

/// The products with all parts of the panel but the last, added up in memory of this type, `step` rows at a time.
mlir::Value emitPartSums(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, int64_t step,
                         int64_t parts, AddPart add);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
