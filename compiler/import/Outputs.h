//===- Outputs.h - outputs of a model and their padded rows -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OUTPUTS_H
#define HEDDLE_IMPORT_OUTPUTS_H

#include "sizes/ImportTask.h"

namespace heddle {

/// Removes the outputs of @main that are not in `options.outputs`, and the operations that only these outputs need.
/// States are kept. Emits an error for a name that is not the name of an output. Keeps all outputs if `options.outputs`
/// is empty.
mlir::LogicalResult keepOutputs(mlir::ModuleOp module, const ImportTask &options);

/// Implements `--padding skip`: sets rows of outputs [batch, positions, width, ...] to zeros where the attention mask
/// is 0. Outputs with fewer than three dimensions do not change. Among the inputs of integers
/// [batch, positions], the mask is the input attention_mask or else the only input with "mask" in its name. Emits an
/// error if there is no such input, or if there are several and none of them is called attention_mask.
mlir::LogicalResult clearPaddedRows(mlir::ModuleOp module, const ImportTask &options);

/// Returns the names of the outputs in which clearPaddedRows() sets rows to zeros.
std::vector<std::string> paddedOutputsOf(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_IMPORT_OUTPUTS_H
