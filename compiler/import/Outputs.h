//===- Outputs.h - which results a model has, and of which rows -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OUTPUTS_H
#define HEDDLE_IMPORT_OUTPUTS_H

#include "heddle/Import.h"

namespace heddle {

/// Leaves only the results of @main that `options.outputs` names, and what they are made of.
mlir::LogicalResult keepOutputs(mlir::ModuleOp module, const ImportOptions &options);

/// Makes the rows of results [batch, positions, ...] zero where the attention mask, an input
/// [batch, positions], is 0.
mlir::LogicalResult clearPaddedRows(mlir::ModuleOp module, const ImportOptions &options);

/// The results that have such rows.
std::vector<std::string> paddedOutputsOf(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_IMPORT_OUTPUTS_H
