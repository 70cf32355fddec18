//===- random_cases.cpp - random models, judged one by one ----------------===//
//
// random-cases --seed S --cases N: case i is made of seed S + i alone, a graph or a quoted operation with options, and
// judged by `heddle verify` in a process of its own. Each failure is printed with its seed and the command that shows
// it again; then the status is 1. tests/random.sh runs it for hours.
//
//===----------------------------------------------------------------------===//

#include "RandomCase.h"
#include "Trial.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <map>

namespace {

struct Arguments {
  std::string heddle, keep;
  uint64_t seed = 1, cases = 100, offset = 0;
  double seconds = 0;
  bool print = false;
};

/// How many cases of a kind ended how.
struct Count {
  uint64_t right = 0, refused = 0, failed = 0;
};

/// A folder that goes with this object.
struct TemporaryFolder {
  TemporaryFolder() { error = llvm::sys::fs::createUniqueDirectory("heddle-random", path); }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  llvm::SmallString<128> path;
  std::error_code error;
};

class Run {
public:
  Run(const Arguments &arguments, const std::string &folder)
      : arguments(arguments), trials(arguments.heddle, folder) {}

  /// Whether all were right or refused, and not most refused.
  bool all();

private:
  void one(const RandomCase &chosen);
  void report(const RandomCase &chosen, const Trial &trial);
  bool summary() const;

  const Arguments &arguments;
  Trials trials;
  std::map<std::string, Count> counts;
  std::map<std::string, uint64_t> reasons;
};

} // namespace

void Run::report(const RandomCase &chosen, const Trial &trial) {
  std::string file = arguments.keep + "/case-" + std::to_string(chosen.seed) + ".mlir";
  llvm::outs() << "seed " << chosen.seed << " (" << chosen.kind << "): " << trial.failure << "\n" << trial.output;
  if (chosen.isModule()) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << chosen.text;
    if (error)
      llvm::outs() << "cannot write " << file << ": " << error.message() << "\n";
  }
  llvm::outs() << "  " << trials.command(chosen, file) << "\n";
  llvm::outs().flush();
}

void Run::one(const RandomCase &chosen) {
  Trial trial = trials.run(chosen);
  Count &count = counts[chosen.kind];
  switch (trial.outcome) {
  case Trial::Right:
    ++count.right;
    return;
  case Trial::Refused:
    ++count.refused;
    ++reasons[trial.failure];
    return;
  case Trial::Failed:
    ++count.failed;
    report(chosen, trial);
  }
}

bool Run::summary() const {
  Count all;
  for (const auto &[kind, count] : counts) {
    llvm::outs() << kind << ": " << count.right << " right, " << count.refused << " refused, " << count.failed
                 << " failed\n";
    all = {all.right + count.right, all.refused + count.refused, all.failed + count.failed};
  }
  for (const auto &[reason, count] : reasons)
    llvm::outs() << "refused '" << reason << "': " << count << "\n";
  llvm::outs() << "all: " << all.right << " right, " << all.refused << " refused, " << all.failed << " failed\n";
  return all.failed == 0 && all.refused <= all.right;
}

bool Run::all() {
  auto start = std::chrono::steady_clock::now();
  auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  llvm::outs() << "cases from --seed " << arguments.seed << "\n";
  for (uint64_t i = 0; i < arguments.cases && (arguments.seconds == 0 || passed() < arguments.seconds); ++i)
    one(randomCase(arguments.seed + i));
  return summary();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Arguments arguments;
  CLI::App app("Judges random models by heddle verify.", "random-cases");
  app.add_option("--heddle", arguments.heddle, "the program heddle")->required()->check(CLI::ExistingFile);
  app.add_option("--seed", arguments.seed, "of the first case; each next case has the next seed")
      ->capture_default_str();
  app.add_option("--cases", arguments.cases, "how many")->capture_default_str();
  app.add_option("--offset", arguments.offset, "added to all seeds")->envname("HEDDLE_RANDOM_OFFSET")->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "begin no case after so many (0: no limit)")->capture_default_str();
  app.add_option("--keep", arguments.keep, "FOLDER for modules that fail")->default_val(".")->check(CLI::ExistingDirectory);
  app.add_flag("--print", arguments.print, "print the cases instead");
  CLI11_PARSE(app, argc, argv);
  arguments.seed += arguments.offset;
  TemporaryFolder folder;
  if (folder.error) {
    llvm::errs() << "random-cases: error: no temporary folder: " << folder.error.message() << "\n";
    return 1;
  }
  if (arguments.print) {
    for (uint64_t i = 0; i < arguments.cases; ++i) {
      RandomCase chosen = randomCase(arguments.seed + i);
      llvm::outs() << "seed " << chosen.seed << " (" << chosen.kind << "):\n" << chosen.text << "\n";
      for (const std::string &option : chosen.options)
        llvm::outs() << " " << option;
      llvm::outs() << "\n";
    }
    return 0;
  }
  return Run(arguments, folder.path.str().str()).all() ? 0 : 1;
}
