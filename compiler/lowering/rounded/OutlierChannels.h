//===- OutlierChannels.h - outlier channels of rounded rows -----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H
#define HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The outlier channels of a layer: columns of its input that are not rounded. Members are null if there are none.
struct OutlierChannels {
  mlir::Value numbers; // the columns' numbers, i32 [E]
  /// Bit masks, i32 [K]: all bits set, but 0 for outlier channels. An AND with them makes outlier channels 0 where rows
  /// are rounded. Reading the masks beside each row costs less than copying the rows with zeros, which takes a third of
  /// the time of rounding (Zen4).
  mlir::Value mask;

  /// Returns the number of outlier channel `i` as an index.
  mlir::Value number(mlir::OpBuilder &b, mlir::Location loc, int64_t i) const;
  int64_t count() const;
};

/// Returns why the outlier channels of a layer cannot be lowered, or "" if they can: they must be part of the rounding
/// attribute, or constants that callers pass by recipes.
std::string whyNoOutliers(LinearOp linear);

/// Returns the outlier channels of a layer for which whyNoOutliers() returns "". If callers pass them, extends their
/// recipes by the bit masks, and removes the layer's operand.
OutlierChannels takeOutlierChannels(mlir::RewriterBase &rewriter, LinearOp linear);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_OUTLIERCHANNELS_H
