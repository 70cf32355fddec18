//===- Command.h - the subcommands of heddle --------------------*- C++ -*-===//
//
// Each subcommand has a file of its own. `add<Name>` declares its options on
// the app, and sets a callback that runs the subcommand and stores the exit
// status: 0 for success, 1 for bad input or a bad result, 2 for wrong usage
// (which CLI11 or the callback detects).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_COMMAND_H
#define HEDDLE_TOOLS_COMMAND_H

#include <CLI/CLI.hpp>

#include <string>

namespace heddle {

enum ExitStatus { ExitDone = 0, ExitBad = 1, ExitUsage = 2 };

/// A subcommand, such as `heddle compile`. main.cpp contains the list of subcommands.
struct Command {
  const char *name, *summary, *example; // the texts for --help; `example` is a command line
  /// Declares the options and sets a callback that writes to `status`.
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
