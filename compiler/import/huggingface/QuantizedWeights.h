//===- QuantizedWeights.h - weights of quantised layers ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H

#include "Checkpoint.h"
#include "Heddle.h"

namespace heddle {

/// The weight of a linear layer, and the rounding of its input.
struct LinearWeight {
  mlir::Value weight;            // [in, out]
  RowRoundingAttr rounding = {}; // null if the input is not rounded
  /// Row i of the weight is multiplied by column order[i] of the input. If `order` is empty, row i is multiplied by
  /// column i.
  llvm::SmallVector<int64_t> order = {};
};

/// Builds the weight of the layer `name` if the weight is stored as integers; otherwise returns nothing. `layout`
/// describes the shape of the stored weight and the part of it that the layer uses. If a tensor of the layer is wrong,
/// emits an error, and Checkpoint::failed() returns true afterwards.
std::optional<LinearWeight> quantizedWeight(mlir::ImplicitLocOpBuilder &builder, Checkpoint &checkpoint,
                                            llvm::StringRef name, const Checkpoint::Layout &layout);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
