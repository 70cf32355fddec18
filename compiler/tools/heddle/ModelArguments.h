//===- ModelArguments.h - options of the model ------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_MODELARGUMENTS_H
#define HEDDLE_TOOLS_MODELARGUMENTS_H

#include "PrecisionArguments.h"

#include "heddle/Import.h"

#include <optional>
#include <vector>

namespace heddle {

/// Creates an MLIR context with all dialects of Heddle. It prints diagnostics to stderr.
std::unique_ptr<mlir::MLIRContext> createContext();

/// MODEL and the options --dim, --decoder, --state, --as-input, --only and --padding, together with the options of
/// --precision.
struct ModelArguments {
  std::string model, padding = "auto";
  PrecisionArguments precision;
  std::vector<std::string> dims, outputs, asInputs;
  bool decoder = false, state = false;
  /// If set, a size that nobody gives gets its whole range from the model's fallback, without classes. Code for a
  /// device has no classes of sizes.
  bool wholeRanges = false;

  void add(CLI::App &app);

  /// Imports the model. Dimensions without a size get it from the shapes in `input`, a .safetensors file with inputs,
  /// or ""; sizes that are still unknown get the model's fallbacks. Inputs with initializers stay inputs if `input` has
  /// tensors of their names. On failure prints errors and sets `status`. If --precision rounds and `inF32` is not null,
  /// `*inF32` becomes the model before its precision was lowered.
  std::optional<Model> import(mlir::MLIRContext &context, int &status, llvm::StringRef input = "",
                              std::optional<Model> *inF32 = nullptr) const;

  /// Whether `bytes` bytes of memory are available. If not, prints an error that names `what` is done with the model.
  bool fits(llvm::StringRef what, uint64_t bytes) const;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_MODELARGUMENTS_H
