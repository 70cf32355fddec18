//===- QuantizedWeights.h - weights of quantised layers ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H

#include "Checkpoint.h"
#include "Heddle.h"

namespace heddle {

/// What a linear layer multiplies.
struct LinearWeight {
  mlir::Value weight; // [in, out]
  RowRoundingAttr rounding = {};
  /// Row i of the weight belongs to this column of the input; empty: to column i.
  llvm::SmallVector<int64_t> order = {};
};

/// Layer NAME, where its weight is stored as integers; none where it is not. `layout` is that of the weight as it is used;
/// its tensors are checked as those of Checkpoint::weight are.
std::optional<LinearWeight> quantizedWeight(mlir::ImplicitLocOpBuilder &builder, Checkpoint &checkpoint,
                                            llvm::StringRef name, const Checkpoint::Layout &layout);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
