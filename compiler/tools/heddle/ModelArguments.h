//===- ModelArguments.h - what most subcommands ask for ---------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_MODELARGUMENTS_H
#define HEDDLE_TOOLS_MODELARGUMENTS_H

#include "PrecisionArguments.h"

#include "heddle/Import.h"

#include <optional>
#include <vector>

namespace heddle {

/// A context with all of Heddle's dialects that prints diagnostics to stderr.
std::unique_ptr<mlir::MLIRContext> createContext();

/// MODEL, --dim, --decoder, --state, --only, --padding and those of --precision.
struct ModelArguments {
  std::string model, padding = "auto";
  PrecisionArguments precision;
  std::vector<std::string> dims, outputs;
  bool decoder = false, state = false;
  /// Sizes that the model has where nobody gives any are whole ranges, not classes: of code for a device, which has none.
  bool wholeRanges = false;

  void add(CLI::App &app);

  /// Imports the model. The shapes in `input`, a .safetensors file with inputs, or "", tell the sizes that are left
  /// open. On failure `status` says which kind it was. Where --precision rounds, `inF32`, if given, becomes the model
  /// that rounds nothing.
  std::optional<Model> import(mlir::MLIRContext &context, int &status, llvm::StringRef input = "",
                              std::optional<Model> *inF32 = nullptr) const;

  /// Whether there are so many bytes of memory for `what` is done with the model. An error is printed.
  bool fits(llvm::StringRef what, uint64_t bytes) const;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_MODELARGUMENTS_H
