//===- ContractionParts.h - contractions cut to fit a cache ---------------===//

#ifndef HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
#define HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Returns the number of equal parts along K into which a panel is cut, so that each part has at most `panelBytes`
/// bytes (0: no limit). The panel has `k` rows of `rowBytes` bytes. If many input rows are multiplied by the same
/// panel, a part of the panel stays in the cache, even where the whole panel does not fit into it. Returns 1 if there
/// are few input rows, or if there would be too many parts. For measurements, see bench/MEASUREMENTS.md.
int64_t cutContraction(int64_t inputRows, int64_t k, int64_t rowBytes, int64_t panelBytes);

/// A function that returns `sums` plus the product of `rows` rows of the input, from row `at` on, and part `which` of
/// the panel.
using AddPart = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::OpFoldResult at, int64_t rows,
                                               mlir::Value which, mlir::Value sums)>;

/// Emits a loop over all of the `parts` parts of the panel except the last one, and returns the sum of their products:
/// a tensor of type `type` (floats or integers), computed in tiles of `step` rows.
mlir::Value emitPartSums(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, int64_t step,
                         int64_t parts, AddPart add);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CONTRACTIONPARTS_H
