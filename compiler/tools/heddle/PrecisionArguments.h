//===- PrecisionArguments.h - options of the precision ----------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PRECISIONARGUMENTS_H
#define HEDDLE_TOOLS_PRECISIONARGUMENTS_H

#include "Command.h"

#include "heddle/Import.h"
#include "heddle/LowPrecision.h"

namespace heddle {

/// The options --precision, --calibrate, --least-cosine and --state-precision.
struct PrecisionArguments {
  std::string text = "f32", calibration, states; // the values of --precision, --calibrate and --state-precision
  double minCosine = 0;                          // the value of --least-cosine

  void add(CLI::App &app);

  /// Returns the parsed value of --precision. The text was checked when the option was parsed.
  PrecisionChoice choice() const;
  bool rounds() const { return choice().rounds(); }

  /// Lowers `model`, which was imported from `path` with `options`, to this precision, and stores its states in the
  /// precision of --state-precision. Calibrates its layers with the inputs of --calibrate, or with random inputs of
  /// small sizes. The random inputs do not depend on the sizes of the import, so the rounded weights do not depend on
  /// these sizes either. On failure, prints errors and sets `status` to the exit status.
  mlir::LogicalResult lower(Model &model, llvm::StringRef path, const ImportOptions &options, int &status) const;

  /// Returns true and prints an error if the device does not support this precision.
  bool refusesDevice(llvm::StringRef device) const;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PRECISIONARGUMENTS_H
