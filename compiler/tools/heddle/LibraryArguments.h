//===- LibraryArguments.h - options of the code to call ---------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_LIBRARYARGUMENTS_H
#define HEDDLE_TOOLS_LIBRARYARGUMENTS_H

#include "CompileArguments.h"
#include "ModelArguments.h"

namespace heddle {

/// The options --library, --weights and --variant, which select code that was compiled before.
struct LibraryArguments {
  std::string library, weights, variant;

  /// Declares the options. `verb` is the verb of the help texts, such as "run". Returns the option --library.
  CLI::Option *add(CLI::App &app, const std::string &verb);

  bool isGiven() const { return !library.empty(); }
  /// Returns whether the library has states although the options import the model without states. In this case, prints
  /// an error.
  bool refusesModel(const ModelArguments &model, const CompileArguments &compile) const;
  /// Returns the path of the library, or the command of the runner. Messages use this text if the code was compiled
  /// from another model.
  std::string sourceOf(const CompileArguments &compile) const {
    return isGiven() ? library : "--runner: " + compile.runner;
  }
};

/// Code that can be called. `weights` is null unless the weights are in a separate file.
struct LoadedCode {
  std::unique_ptr<llvm::MemoryBuffer> weights;
  std::unique_ptr<Session> session;
};

/// Loads the library. If no library is given, compiles the model, which this function consumes. The description of the
/// model in a library is not trusted, so the caller must then call `checkInterface`. Prints errors.
mlir::FailureOr<LoadedCode> loadCode(mlir::MLIRContext &context, Model model, const LibraryArguments &library,
                                     const CompileArguments &compile);

} // namespace heddle

#endif // HEDDLE_TOOLS_LIBRARYARGUMENTS_H
