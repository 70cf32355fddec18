//===- CompileArguments.h - options of compilation --------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_COMPILEARGUMENTS_H
#define HEDDLE_TOOLS_COMPILEARGUMENTS_H

#include "Command.h"

#include "heddle/Compile.h"
#include "heddle/PrintError.h"
#include "heddle/Session.h"
#include "heddle/Threads.h"

#include <optional>

namespace heddle {

/// The options --strategy, --mcpu, --mattr, --target, --device and --runner.
struct CompileArguments {
  std::vector<std::string> strategies; // the values of --strategy, each OP=NAME|FILE[:knob=value,...]
  // `triple` is the value of --target, `cpu` of --mcpu, and `attributes` of --mattr.
  std::string triple, cpu = "native", attributes, device = hostDevice.str();
  std::string runner; // the value of --runner; empty in subcommands that do not call `addRunner`

  /// Declares the options, except --runner, for code for one CPU. If an option in `without`, such as --library, is
  /// given, nothing is compiled, and the parser refuses the declared options, except --device.
  void add(CLI::App &app, llvm::ArrayRef<CLI::Option *> without = {});
  /// Declares the same options for code for several CPUs.
  void addForLibrary(CLI::App &app);

  /// Declares --runner, a command that runs heddle-runner on the target machine.
  CLI::Option *addRunner(CLI::App &app);

  /// Returns the options for the compiler. `name` is the prefix of the library's functions.
  CompileOptions options(llvm::StringRef name) const;

private:
  void add(CLI::App &app, llvm::ArrayRef<CLI::Option *> without, CLI::Option *cpus);
};

/// The option --threads.
struct ThreadArguments {
  size_t threads = 0; // 0 means one thread for each physical core

  void add(CLI::App &app);
};

/// Declares --seed, the seed of random inputs. The parser refuses --seed together with the option `input`, since inputs
/// from a file are not random.
void addSeed(CLI::App &app, uint64_t &seed, CLI::Option *input);

/// Compiles the model and loads the code into this process or, with --runner, into the runner. The function consumes
/// the model. A runner returns a description of the model, which may be wrong. Therefore the caller must call
/// `checkInterface` after loading code into a runner. On failure, prints errors and returns null.
std::unique_ptr<Session> compileAndLoad(mlir::MLIRContext &context, Model model, const CompileArguments &arguments);

} // namespace heddle

#endif // HEDDLE_TOOLS_COMPILEARGUMENTS_H
