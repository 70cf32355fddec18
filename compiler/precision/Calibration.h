//===- Calibration.h - plans a model's low precision ------------*- C++ -*-===//
//
// Finds the outlier channels and the layers that need more precision by running
// models at stage recognise in the interpreter. Functions that fail have
// emitted the interpreter's error.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PRECISION_CALIBRATION_H
#define HEDDLE_PRECISION_CALIBRATION_H

#include "StoredLayers.h"

namespace heddle {

/// Runs the stage recognise on the module.
mlir::LogicalResult recogniseLayers(mlir::ModuleOp module);

/// Fills `plan.outliers`: for each layer, the outlier channels of its input, i.e. the columns with the largest
/// elements. If they were rounded with the other columns, these elements would determine the scale of their rows, and
/// few steps would be left for the other elements.
mlir::LogicalResult findOutlierChannels(PrecisionPlan &plan, llvm::MutableArrayRef<CalibrationCase> cases);

/// Fills `plan.left` until the worst cosine is closer to 1 than `options.minCosine`, by a margin for inputs that are
/// not in `cases` (MinCosine.cpp). Layers are left in bf16 if that is enough, otherwise some are left in f32. The
/// layers that gain the most for the time that they cost come first.
mlir::LogicalResult holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_PRECISION_CALIBRATION_H
