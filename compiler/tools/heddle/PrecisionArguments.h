//===- PrecisionArguments.h - what a model is computed in -------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PRECISIONARGUMENTS_H
#define HEDDLE_TOOLS_PRECISIONARGUMENTS_H

#include "Command.h"

#include "heddle/Import.h"
#include "heddle/LowPrecision.h"

namespace heddle {

/// --precision, --calibrate, --least-cosine and --state-precision.
struct PrecisionArguments {
  std::string text = "f32", calibration, states;
  double leastCosine = 0;

  void add(CLI::App &app);

  /// What the text, which was checked when it was parsed, asks for.
  PrecisionChoice choice() const;
  bool rounds() const { return choice().rounds(); }

  /// Makes `model`, as it was imported from `path` with `options`, one of this precision; `status` is set on failure.
  /// Its layers are seen at work on the inputs of --calibrate, or on random ones of small sizes, the same for whatever
  /// sizes the model is imported, so that its weights are. Errors are printed.
  mlir::LogicalResult lower(Model &model, llvm::StringRef path, const ImportOptions &options, int &status) const;

  /// Whether `device` cannot do it, which is printed.
  bool isRefusedOn(llvm::StringRef device) const;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PRECISIONARGUMENTS_H
