//===- Calibration.h - plans a model's low precision ------------*- C++ -*-===//
//
// Finds the outlier channels and the layers that need more precision by running models at stage recognise in the
// interpreter. If a function fails, the interpreter has emitted an error.
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
/// the other elements would be rounded to few different values.
mlir::LogicalResult findOutlierChannels(PrecisionPlan &plan, llvm::MutableArrayRef<CalibrationCase> cases);

/// Fills `plan.left`, the layers that get more precision, until the worst cosine exceeds `options.minCosine` with a
/// margin for inputs that are not in `cases` (MinCosine.cpp). The layers get bf16 if that is enough; otherwise some of
/// them get f32. Layers that improve the cosine most for their additional time come first.
mlir::LogicalResult holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_PRECISION_CALIBRATION_H
