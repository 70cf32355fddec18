//===- LibraryArguments.h - the code that is called -------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_LIBRARYARGUMENTS_H
#define HEDDLE_TOOLS_LIBRARYARGUMENTS_H

#include "CompileArguments.h"
#include "ModelArguments.h"

namespace heddle {

/// The options --library, --weights and --variant, which select code that was compiled before.
struct LibraryArguments {
  std::string library, weights, variant;

  /// Declares the options. `verb` says in the help text what is done with the library. Returns --library.
  CLI::Option *add(CLI::App &app, const std::string &verb);

  bool isGiven() const { return !library.empty(); }
  /// Whether the library has states, but the options import the model without states. Prints an error in this case.
  bool refusesModel(const ModelArguments &model, const CompileArguments &compile) const;
  /// The source of the code, which messages name if the code is not the model's: the library or the runner.
  std::string sourceOf(const CompileArguments &compile) const {
    return isGiven() ? library : "--runner: " + compile.runner;
  }
};

/// Code that can be called. `weights` is set if the weights are in a separate file.
struct LoadedCode {
  std::unique_ptr<llvm::MemoryBuffer> weights;
  std::unique_ptr<Session> session;
};

/// Loads the library; if none is given, compiles the model, which this function consumes. The description of the model
/// in a library is not trusted, so the caller must use `checkInterface` next. Prints errors.
mlir::FailureOr<LoadedCode> loadCode(mlir::MLIRContext &context, Model model, const LibraryArguments &library,
                                     const CompileArguments &compile);

} // namespace heddle

#endif // HEDDLE_TOOLS_LIBRARYARGUMENTS_H
