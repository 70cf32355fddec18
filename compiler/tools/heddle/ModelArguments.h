//===- ModelArguments.h - options of the model ------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_MODELARGUMENTS_H
#define HEDDLE_TOOLS_MODELARGUMENTS_H

#include "PrecisionArguments.h"

#include "heddle/Import.h"

#include <optional>
#include <vector>

namespace heddle {

/// Creates an MLIR context with all dialects of Heddle. The context prints diagnostics to stderr.
std::unique_ptr<mlir::MLIRContext> createContext();

/// MODEL, the options --dim, --decoder, --state, --as-input, --only and --padding, and the options for the precision.
struct ModelArguments {
  std::string model, padding = "auto"; // MODEL and the value of --padding
  PrecisionArguments precision;
  std::vector<std::string> dims, outputs, asInputs; // the values of --dim, --only and --as-input
  bool decoder = false, state = false;
  /// The model has a default range for some sizes that --dim does not set (OpenDim::fallback), and may divide this
  /// range into classes. If `wholeRanges` is true, `import` uses such a range without the classes. This is needed for
  /// devices, because their code supports no classes of sizes.
  bool wholeRanges = false;

  void add(CLI::App &app);

  /// Imports the model. `input` is the name of a .safetensors file with inputs, or "". If --dim does not set a
  /// dimension, the shapes in this file determine it. Without a file, the dimension has the model's default
  /// (OpenDim::fallback). An input that has an initializer remains an input if the file contains a tensor of its name.
  /// On failure, prints errors and sets `status` to the exit status. If --precision lowers the precision and `inF32` is
  /// not null, sets `*inF32` to the model in its original precision.
  std::optional<Model> import(mlir::MLIRContext &context, int &status, llvm::StringRef input = "",
                              std::optional<Model> *inF32 = nullptr) const;

  /// Returns whether `bytes` bytes of memory are available. If not, prints an error in which `what` (such as "running")
  /// names the action that needs the memory.
  bool fits(llvm::StringRef what, uint64_t bytes) const;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_MODELARGUMENTS_H
