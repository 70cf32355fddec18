//===- random_cases.cpp - verifies random models --------------------------===//
//
// random-cases --seed S --cases N: case i is determined by seed S + i. It is a
// random module (a graph of operations) or a random quoted operation, with
// random options, and `heddle verify` verifies it in a separate process. Each
// failing case is reduced to a small one and printed with its seed and a
// command that reproduces it. The exit status is 1 if a case fails.
// tests/random/random.sh runs this program on all processors for a given time.
//
//===----------------------------------------------------------------------===//

#include "RandomCase.h"
#include "Shrink.h"
#include "Trial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <map>

namespace {

/// The options of the program. main() contains their descriptions.
struct Arguments {
  std::string heddle, keep;
  std::string kind, device;
  std::vector<std::string> with;
  uint64_t seed = 1, cases = 100, offset = 0;
  double seconds = 0;
  unsigned shrink = 300, limit = 120;
  bool print = false;
};

/// The numbers of cases of one kind with each outcome (Trial::Outcome).
struct Count {
  uint64_t right = 0, chance = 0, refused = 0, failed = 0;

  std::string text() const;
  Count &operator+=(const Count &other);
};

/// A folder that is removed when this object is destroyed.
struct TemporaryFolder {
  TemporaryFolder() { error = llvm::sys::fs::createUniqueDirectory("heddle-random", path); }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  llvm::SmallString<128> path;
  std::error_code error; // set if the folder could not be created
};

/// Runs random cases and reports their outcomes.
class Run {
public:
  Run(const Arguments &arguments, const std::string &folder)
      : arguments(arguments), trials(arguments.heddle, folder) {
    trials.seconds = arguments.limit;
  }

  /// Runs all cases and prints a summary. Returns true if no case failed, and at most as many cases were refused as
  /// were right.
  bool all();

private:
  /// Runs and counts a case. If it is refused and has a strategy, it runs again with the default strategies.
  void one(RandomCase chosen);
  /// Reduces a failing case, and prints its failure, the output for the reduced case, and the command that reproduces
  /// it. Writes a reduced module to a file in the folder --keep.
  void report(const RandomCase &chosen, const Trial &trial);
  /// Prints all counts. Returns the result of all().
  bool summary() const;

  const Arguments &arguments;
  Trials trials;
  std::map<std::string, Count> counts;     // by kind of case
  std::map<std::string, uint64_t> reasons; // the number of refusals by the text that findRefusal returns
};

} // namespace

std::string Count::text() const {
  return std::to_string(right) + " right, " + std::to_string(chance) + " beyond the bound by chance, " +
         std::to_string(refused) + " refused, " + std::to_string(failed) + " failed";
}

Count &Count::operator+=(const Count &other) {
  right += other.right;
  chance += other.chance;
  refused += other.refused;
  failed += other.failed;
  return *this;
}

void Run::report(const RandomCase &chosen, const Trial &trial) {
  llvm::outs() << "seed " << chosen.seed << " (" << chosen.kind << "): " << trial.failure << "\n";
  auto failsAlike = [&](const RandomCase &smaller) {
    Trial other = trials.run(smaller);
    return other.outcome == trial.outcome && other.failure == trial.failure;
  };
  RandomCase minimum = shrink(chosen, failsAlike, arguments.shrink);
  std::string file = arguments.keep + "/case-" + std::to_string(chosen.seed) + ".mlir";
  if (chosen.isModule()) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << minimum.text;
    if (error)
      llvm::outs() << "cannot write " << file << ": " << error.message() << "\n";
  }
  llvm::outs() << trials.run(minimum).output << "  " << trials.command(minimum, file) << "\n";
  llvm::outs().flush();
}

void Run::one(RandomCase chosen) {
  llvm::append_range(chosen.options, arguments.with);
  Trial trial = trials.run(chosen);
  auto strategy = llvm::find(chosen.options, "--strategy");
  if (trial.outcome == Trial::Refused && strategy != chosen.options.end()) {
    ++reasons[trial.failure];
    chosen.options.erase(strategy, strategy + 2);
    trial = trials.run(chosen); // with the compiler's default strategies
  }
  Count &count = counts[chosen.kind];
  switch (trial.outcome) {
  case Trial::Right:
    ++count.right;
    return;
  case Trial::Chance:
    ++count.chance;
    llvm::outs() << "seed " << chosen.seed << " (" << chosen.kind << "): beyond the bound by chance, "
                 << llvm::format("%.3g", trial.excess) << " times\n";
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
    llvm::outs() << kind << ": " << count.text() << "\n";
    all += count;
  }
  for (const auto &[reason, count] : reasons)
    llvm::outs() << "refused '" << reason << "': " << count << "\n";
  llvm::outs() << "all: " << all.text() << "\n";
  return all.failed == 0 && all.refused <= all.right;
}

bool Run::all() {
  auto start = std::chrono::steady_clock::now();
  auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  llvm::outs() << "cases from --seed " << arguments.seed << "\n";
  for (uint64_t i = 0; i < arguments.cases && (arguments.seconds == 0 || passed() < arguments.seconds); ++i) {
    RandomCase chosen = randomCase(arguments.seed + i, arguments.device);
    if (arguments.kind.empty() || chosen.kind == arguments.kind)
      one(std::move(chosen));
  }
  return summary();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Arguments arguments;
  CLI::App app("Verifies random models with heddle verify.", "random-cases");
  app.add_option("--heddle", arguments.heddle, "the program heddle")->required()->check(CLI::ExistingFile);
  app.add_option("--seed", arguments.seed, "the seed of the first case; each following case has the next seed")
      ->capture_default_str();
  app.add_option("--cases", arguments.cases, "the number of cases")->capture_default_str();
  app.add_option("--offset", arguments.offset, "added to all seeds")->envname("HEDDLE_RANDOM_OFFSET")->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "begin no case after this number of seconds (0: no limit)")
      ->capture_default_str();
  app.add_option("--keep", arguments.keep, "FOLDER for modules that fail")->default_val(".")->check(CLI::ExistingDirectory);
  app.add_option("--kind", arguments.kind, "only cases of this kind: graph, attention, ..");
  app.add_option("--device", arguments.device, "the device on which cases run, as for heddle verify --device");
  app.add_option("--with", arguments.with, "WORD: a further argument of heddle verify (repeatable)");
  app.add_option("--limit", arguments.limit, "seconds that one case may take")->capture_default_str();
  app.add_option("--shrink", arguments.shrink, "the maximum number of smaller cases to try for a failing case")
      ->capture_default_str();
  app.add_flag("--print", arguments.print, "print the cases and do not verify them");
  CLI11_PARSE(app, argc, argv);
  arguments.seed += arguments.offset;
  TemporaryFolder folder;
  if (folder.error) {
    llvm::errs() << "random-cases: error: cannot create a temporary folder: " << folder.error.message() << "\n";
    return 1;
  }
  if (arguments.print) {
    for (uint64_t i = 0; i < arguments.cases; ++i) {
      RandomCase chosen = randomCase(arguments.seed + i, arguments.device);
      llvm::outs() << "seed " << chosen.seed << " (" << chosen.kind << "):\n" << chosen.text << "\n";
      for (const std::string &option : chosen.options)
        llvm::outs() << " " << option;
      llvm::outs() << "\n";
    }
    return 0;
  }
  return Run(arguments, folder.path.str().str()).all() ? 0 : 1;
}
