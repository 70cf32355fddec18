//===- LibraryArguments.h - which code is called ----------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_LIBRARYARGUMENTS_H
#define HEDDLE_TOOLS_LIBRARYARGUMENTS_H

#include "CompileArguments.h"
#include "ModelArguments.h"

namespace heddle {

/// --library, --weights and --variant: code that was compiled before.
struct LibraryArguments {
  std::string library, weights, variant;

  /// Declares them; `verb` says what is done with the library. Returns --library.
  CLI::Option *add(CLI::App &app, const std::string &verb);

  bool isGiven() const { return !library.empty(); }
  /// Whether it has states and the model is asked for without, which is told.
  bool isRefusedFor(const ModelArguments &model, const CompileArguments &compile) const;
  /// What is at fault where code is not the model's.
  std::string sourceOf(const CompileArguments &compile) const {
    return isGiven() ? library : "--runner: " + compile.runner;
  }
};

/// Code that can be called, and its weights if they are in a file of their own.
struct LoadedCode {
  std::unique_ptr<llvm::MemoryBuffer> weights;
  std::unique_ptr<Session> session;
};

/// Loads the library, or compiles the model, which this consumes, where none is given. What a library says of itself is
/// not trusted: checkInterface is to follow. Errors are printed.
mlir::FailureOr<LoadedCode> loadCode(mlir::MLIRContext &context, Model model, const LibraryArguments &library,
                                     const CompileArguments &compile);

} // namespace heddle

#endif // HEDDLE_TOOLS_LIBRARYARGUMENTS_H
