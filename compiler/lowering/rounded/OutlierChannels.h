//===- OutlierChannels.h - outlier channels of rounded rows -----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H
#define HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The outlier channels of a layer: columns of its input that are not rounded. Members are null if there are none.
struct OutlierChannels {
  mlir::Value numbers; // the indices of the columns, i32 [E]
  /// Bit masks, i32 [K]: 0 for outlier channels, and all bits set for other columns. When rows are rounded, an AND with
  /// the masks makes outlier channels 0. Reading the masks with each row costs less than a copy of the rows with zeros,
  /// which would take a third of the time of rounding (Zen4).
  mlir::Value mask;

  /// Returns the index of the column that is outlier channel `i`.
  mlir::Value number(mlir::OpBuilder &b, mlir::Location loc, int64_t i) const;
  /// Returns the number of outlier channels.
  int64_t count() const;
};

/// Returns why the outlier channels of a layer cannot be lowered, or "" if they can: they must be in the rounding
/// attribute, or each caller must pass a heddle.weight with them.
std::string whyNoOutliers(LinearOp linear);

/// Returns the outlier channels of a layer for which whyNoOutliers() returns "". If callers pass the channels as
/// weights, adds a step to the recipes of these weights (the steps that compute a weight when a library is written), so
/// that the weights also contain the bit masks, and removes the layer's operand.
OutlierChannels takeOutlierChannels(mlir::RewriterBase &rewriter, LinearOp linear);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H
