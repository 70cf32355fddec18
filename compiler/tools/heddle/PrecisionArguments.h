//===- PrecisionArguments.h - options of the precision ----------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PRECISIONARGUMENTS_H
#define HEDDLE_TOOLS_PRECISIONARGUMENTS_H

#include "Command.h"

#include "heddle/Import.h"
#include "heddle/LowPrecision.h"
#include "heddle/Target.h"

namespace heddle {

/// The options --precision, --calibrate, --least-cosine and --state-precision.
struct PrecisionArguments {
  std::string text = "f32", calibration, states; // the values of --precision, --calibrate and --state-precision
  double minCosine = 0;                          // the value of --least-cosine

  void add(CLI::App &app);

  /// Returns the parsed value of --precision, which was checked when the option was parsed. Attention is in f32 if
  /// fitDevice has set its precision to f32.
  PrecisionChoice choice() const;
  bool rounds() const { return choice().rounds(); }

  /// Lowers `model`, which was imported from `path` with `options`, to this precision, and stores its states in the
  /// precision of --state-precision. If the precision rounds, calibrates the layers with the inputs of --calibrate, or
  /// with random inputs of small sizes. The random inputs do not depend on the sizes of the import, so the rounded
  /// weights do not depend on these sizes either. On failure, prints errors and sets `status` to the exit status.
  mlir::LogicalResult lower(Model &model, llvm::StringRef path, const ImportOptions &options, int &status) const;

  /// Must be called before `lower`. Fails and prints an error if the device does not support this precision. If the
  /// option does not name attention, and the device does not compute attention in the precision of the other layers,
  /// sets the precision of attention to f32.
  mlir::LogicalResult fitDevice(mlir::MLIRContext &context, llvm::StringRef device);

private:
  bool leavesAttention = false; // whether `fitDevice` has set the precision of attention to f32
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PRECISIONARGUMENTS_H
