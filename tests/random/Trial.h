//===- Trial.h - outcome of a random case -----------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_TRIAL_H
#define HEDDLE_TESTS_RANDOM_TRIAL_H

#include "RandomCase.h"

/// The outcome of one run of `heddle verify`. Cases with the same `failure` fail in the same way.
struct Trial {
  /// `Chance`: a result is beyond its bound, but only because the bound is small by chance (Trials::run). `Refused`:
  /// heddle reported an error that is expected for random cases (Refusals.h).
  enum Outcome { Right, Chance, Refused, Failed } outcome = Right;
  // For failures and for `Chance`: a text such as "wrong result", "crash: ...", or "error: ..." without numbers and
  // quoted text. For expected errors: the result of findRefusal. Empty if the results are right.
  std::string failure;
  std::string output;  // the output of `heddle verify --json`
  double excess = 0;   // for a wrong result, the largest error as a multiple of its bound
};

/// Runs `heddle verify` for cases, each in its own process. If a case crashes, hangs or uses too much memory, it counts
/// as a failure, and further cases can run.
class Trials {
public:
  /// `heddle` is the path of the program, and `folder` is an existing folder for the files of this object.
  Trials(std::string heddle, std::string folder) : heddle(std::move(heddle)), folder(std::move(folder)) {}

  /// Runs a case. The bound of a result is four times the error of the interpreter in f32, which may be small by chance
  /// if there are few elements. Therefore an error that exceeds its bound by a factor of less than 100 is also compared
  /// with the bounds for up to forty other inputs. The outcome is `Chance` if the error is within the largest of these
  /// bounds, if it exceeds its own bound by a small factor and nearly all results for other inputs are right, or if all
  /// wrong outputs consist only of rounding errors.
  Trial run(const RandomCase &chosen) const;
  /// Returns the shell command that reproduces a case. `file` is the path of the .mlir file if the case is a module;
  /// this function does not write the file.
  std::string command(const RandomCase &chosen, const std::string &file) const;

  unsigned seconds = 120, megabytes = 4096; // limits for one case

private:
  /// Runs a case without a comparison with other inputs, so the outcome is not `Chance`.
  Trial runOnce(const RandomCase &chosen) const;
  bool isChance(RandomCase chosen, const Trial &trial) const;
  std::vector<std::string> arguments(const RandomCase &chosen, const std::string &file) const;

  std::string heddle, folder;
};

#endif // HEDDLE_TESTS_RANDOM_TRIAL_H
