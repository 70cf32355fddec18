//===- CalibrationCases.h - inputs for calibration --------------*- C++ -*-===//

#ifndef HEDDLE_CALIBRATIONCASES_H
#define HEDDLE_CALIBRATIONCASES_H

#include "heddle/LowPrecision.h"

namespace heddle {

/// Returns one calibration case (LowPrecision.h) with the inputs in the .safetensors file `file`. If the model at
/// `path`, which was imported with `options`, has dimensions without a fixed size, the model is imported again at the
/// sizes in the file. Errors are printed.
mlir::FailureOr<std::vector<CalibrationCase>> casesFromFile(const Model &model, llvm::StringRef path,
                                                            const ImportOptions &options, llvm::StringRef file);

/// Returns random inputs for the model at `path`: about 64 rows altogether, if its sizes can be chosen. With
/// `withHard`, adds about 400 rows whose results lose the most accuracy in low precision; these rows are used only to
/// compare results, not to find outlier channels. If the model at `path` has dimensions without a fixed size and can be
/// imported at small sizes, these sizes are used, whatever sizes `model` was imported for. Otherwise sizes that lie in
/// ranges get small values.
mlir::FailureOr<std::vector<CalibrationCase>> randomCases(const Model &model, llvm::StringRef path,
                                                          const ImportOptions &options, bool withHard);

/// Removes the sizes and ranges that the user gave (--dim) from `options`. Returns the dimensions of the model at
/// `path` whose sizes the model itself does not fix.
std::vector<OpenDim> openDimensions(mlir::MLIRContext &context, llvm::StringRef path, ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_CALIBRATIONCASES_H
