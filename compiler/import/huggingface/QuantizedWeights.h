//===- QuantizedWeights.h - weights of quantised layers ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
#define HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H

#include "DirectoryCheckpoint.h"

namespace heddle {

/// Builds the weight of the layer `name`. Returns nothing if the weight is not stored as integers, or if an error was
/// reported before. `layout` describes the shape of the stored weight and the part of it that the layer uses. If a
/// tensor of the layer is wrong, emits an error; Checkpoint::failed() then returns true, and the result must not be
/// used.
std::optional<LinearWeight> quantizedWeight(mlir::ImplicitLocOpBuilder &builder, DirectoryCheckpoint &checkpoint,
                                            llvm::StringRef name, const Checkpoint::Layout &layout);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_QUANTIZEDWEIGHTS_H
