//===- CalibrationCases.h - what layers are seen at work on -----*- C++ -*-===//

#ifndef HEDDLE_CALIBRATIONCASES_H
#define HEDDLE_CALIBRATIONCASES_H

#include "heddle/LowPrecision.h"

namespace heddle {

/// The inputs in a .safetensors file, at whose sizes the model at `path`, which was imported with `options`, is
/// imported anew where it leaves them open. Errors are printed.
mlir::FailureOr<std::vector<CalibrationCase>> casesFromFile(const Model &model, llvm::StringRef path,
                                                            const ImportOptions &options, llvm::StringRef file);

/// Random inputs of the model at `path`, some 64 rows altogether; with `judged` some 400 more that few bits hurt most,
/// which are only judged. Where the model leaves sizes open these are small, whatever `model` was imported for; else
/// they are those of `model`.
mlir::FailureOr<std::vector<CalibrationCase>> randomCases(const Model &model, llvm::StringRef path,
                                                          const ImportOptions &options, bool judged);

/// Takes the sizes out of `options`; which ones the model leaves open then.
std::vector<OpenDim> leaveOpen(mlir::MLIRContext &context, llvm::StringRef path, ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_CALIBRATIONCASES_H
