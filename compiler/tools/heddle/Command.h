//===- Command.h - the subcommands of heddle --------------------*- C++ -*-===//
//
// One file per subcommand. `add<Name>` declares its options on the app and a
// callback that runs it and leaves the exit status: 0 done, 1 the input or the
// result is bad, 2 wrong usage (which CLI11 finds, or the callback).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_COMMAND_H
#define HEDDLE_TOOLS_COMMAND_H

#include <CLI/CLI.hpp>

#include <string>

namespace heddle {

enum ExitStatus { ExitDone = 0, ExitBad = 1, ExitUsage = 2 };

struct Command {
  const char *name, *summary, *example;
  /// Declares the options; the callback it sets writes to `status`.
  void (*add)(CLI::App &app, int &status);
};

void addBench(CLI::App &app, int &status);
void addCompile(CLI::App &app, int &status);
void addDevices(CLI::App &app, int &status);
void addImport(CLI::App &app, int &status);
void addRun(CLI::App &app, int &status);
void addStrategies(CLI::App &app, int &status);
void addVerify(CLI::App &app, int &status);

} // namespace heddle

#endif // HEDDLE_TOOLS_COMMAND_H
