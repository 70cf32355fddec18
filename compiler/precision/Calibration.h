//===- Calibration.h - layers seen at work ----------------------*- C++ -*-===//
//
// All of it interprets models at stage recognise. A failed interpretation has said why.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PRECISION_CALIBRATION_H
#define HEDDLE_PRECISION_CALIBRATION_H

#include "StoredLayers.h"

namespace heddle {

/// Runs stage recognise.
mlir::LogicalResult recogniseLayers(mlir::ModuleOp module);

/// Fills `plan.exact`: of each layer's input the columns that have the largest elements. They take the whole range of
/// the rows they are in, so that the others are left with few steps.
mlir::LogicalResult findExactColumns(PrecisionPlan &plan, llvm::MutableArrayRef<CalibrationCase> cases);

/// Fills `plan.left` until the worst cosine is closer to 1 than `options.leastCosine`, so that it is held on inputs that
/// are not in `cases` (LeastCosine.cpp): with layers in bf16 if that is enough, else with some in f32; those first that
/// bring the most for the time they take.
mlir::LogicalResult holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_PRECISION_CALIBRATION_H
