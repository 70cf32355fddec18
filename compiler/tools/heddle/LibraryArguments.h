//===- LibraryArguments.h - options of the code to call ---------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_LIBRARYARGUMENTS_H
#define HEDDLE_TOOLS_LIBRARYARGUMENTS_H

#include "CompileArguments.h"
#include "ModelArguments.h"

namespace heddle {

/// The options --library, --weights and --variant, which select code that was compiled before.
struct LibraryArguments {
  std::string library, weights, variant; // the values of the options, or empty


  /// Declares the options. `verb` is the verb of the help texts, such as "run". Returns the option --library.
  CLI::Option *add(CLI::App &app, const std::string &verb);

  bool isGiven() const { return !library.empty(); }
  /// Returns true and prints an error if the library has states, but the model would be imported without states: it is
  /// not an .mlir file, and the options --decoder and --state are missing. Returns false if there is no --library, if
  /// the library cannot be opened, or with --runner.
  bool refusesModel(const ModelArguments &model, const CompileArguments &compile) const;
  /// Returns the source of the code for error messages, which say that the code was not compiled from this model: the
  /// path of the library, or the command of the runner.
  std::string sourceOf(const CompileArguments &compile) const {
    return isGiven() ? library : "--runner: " + compile.runner;
  }
};

/// Code that can be called.
struct LoadedCode {
  // The file of --weights, which `session` reads; null if there is no --weights, or if a runner reads the file.
  std::unique_ptr<llvm::MemoryBuffer> weights;
  std::unique_ptr<Session> session;
};

/// Loads the library of --library. If there is no --library, compiles the model. The function consumes the model. The
/// description of the model in a library may be wrong or describe another model, so the caller must then call
/// `checkInterface`. Prints errors.
mlir::FailureOr<LoadedCode> loadCode(mlir::MLIRContext &context, Model model, const LibraryArguments &library,
                                     const CompileArguments &compile);

} // namespace heddle

#endif // HEDDLE_TOOLS_LIBRARYARGUMENTS_H
