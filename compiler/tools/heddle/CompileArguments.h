//===- CompileArguments.h - how a model is to be compiled -------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_COMPILEARGUMENTS_H
#define HEDDLE_TOOLS_COMPILEARGUMENTS_H

#include "Command.h"

#include "heddle/Compile.h"
#include "heddle/PrintError.h"
#include "heddle/Session.h"
#include "heddle/Threads.h"

#include <optional>

namespace heddle {

/// --strategy, --mcpu, --mattr, --target and --device.
struct CompileArguments {
  std::vector<std::string> strategies;
  std::string triple, cpu = "native", attributes, device = hostDevice.str();
  std::string runner; // only of subcommands that call addRunner

  /// Declares them; `without` are options and flags beside which nothing is compiled. Code is for one CPU.
  void add(CLI::App &app, llvm::ArrayRef<CLI::Option *> without = {});
  /// Declares them for code of several CPUs.
  void addForLibrary(CLI::App &app);

  /// Declares --runner.
  CLI::Option *addRunner(CLI::App &app);

  CompileOptions options(llvm::StringRef name) const;

private:
  void add(CLI::App &app, llvm::ArrayRef<CLI::Option *> without, CLI::Option *cpus);
};

/// --threads.
struct ThreadArguments {
  size_t threads = 0; // 0: the physical cores

  void add(CLI::App &app);
};

/// --seed, of random inputs. The numbers of an input file need none: `input` excludes it.
void addSeed(CLI::App &app, uint64_t &seed, CLI::Option *input);

/// Compiles the model, which this consumes, and loads it into this process or has the runner load it. What a runner
/// says of the model is not trusted: checkInterface is to follow. Errors are printed.
std::unique_ptr<Session> compileAndLoad(mlir::MLIRContext &context, Model model, const CompileArguments &arguments);

} // namespace heddle

#endif // HEDDLE_TOOLS_COMPILEARGUMENTS_H
