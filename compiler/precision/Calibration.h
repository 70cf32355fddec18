//===- Calibration.h - plans a model's low precision ------------*- C++ -*-===//
//
// The functions here interpret models at stage recognise to find their outlier
// channels and the layers that need higher precision. If a function fails, it
// has emitted an error.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PRECISION_CALIBRATION_H
#define HEDDLE_PRECISION_CALIBRATION_H

#include "StoredLayers.h"

namespace heddle {

/// Runs the stage recognise, which finds the layers, on the module.
mlir::LogicalResult recogniseLayers(mlir::ModuleOp module);

/// Fills `plan.outliers`: for each layer, the outlier channels of its input, which are a few columns with large
/// elements in `cases` (ColumnSearch.h). If these columns were rounded like all others, their elements would determine
/// the scale of each row, and the other elements of the row would be rounded to only a few different values. Cases that
/// are only compared are ignored.
mlir::LogicalResult findOutlierChannels(PrecisionPlan &plan, llvm::MutableArrayRef<CalibrationCase> cases);

/// Fills `plan.exceptions` with the layers that get higher precision, until the worst cosine exceeds
/// `options.minCosine` by a margin, which allows for inputs that are not in `cases` (MinCosine.cpp). The cosine of a
/// row of the results is that of the angle between the row in low precision and the row in f32. The layers get bf16 if
/// bf16 is enough; otherwise some of them get f32. Layers whose higher precision improves the cosine most, relative to
/// the additional time, are selected first.
mlir::LogicalResult holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_PRECISION_CALIBRATION_H
