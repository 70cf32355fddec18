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

/// By layer's key: the most that the format makes of a row of its result, |change| / |row|, each layer alone.
mlir::FailureOr<llvm::StringMap<double>> measureHarm(const PrecisionPlan &plan,
                                                     llvm::MutableArrayRef<CalibrationCase> cases);

/// Fills `plan.left` until the worst cosine is at least `options.leastCosine`: with layers in bf16 if that is enough,
/// else with all in bf16 and some in f32, those of the largest harm first.
mlir::LogicalResult holdCosine(PrecisionPlan &plan, const PrecisionOptions &options,
                               llvm::MutableArrayRef<CalibrationCase> cases);

} // namespace heddle

#endif // HEDDLE_PRECISION_CALIBRATION_H
