//===- Trial.h - what became of a random case -------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_TRIAL_H
#define HEDDLE_TESTS_RANDOM_TRIAL_H

#include "RandomCase.h"

/// A case that was tried. One fails like another whose `failure` is the same.
struct Trial {
  enum Outcome { Right, Chance, Refused, Failed } outcome = Right;
  std::string failure; // "wrong result", "crash: ..", "error: .." with no numbers; of what is refused, the reason
  std::string output;  // of `heddle verify --json`
  double excess = 0;   // of a wrong result: the largest error as a multiple of its bound
};

/// Has `heddle verify` judge cases, each in a process of its own: one that crashes, hangs or takes all memory is a
/// failure and no more.
class Trials {
public:
  /// `heddle` is the program, `folder` an existing one for files of this object alone.
  Trials(std::string heddle, std::string folder) : heddle(std::move(heddle)), folder(std::move(folder)) {}

  /// The bound of a few numbers is four times the error that the interpreter happened to make in them, which may be
  /// next to nothing. So a result beyond it is held against the bounds of forty other inputs as well: within the
  /// largest, it was chance; and where it is beyond by a few times, and nearly all of these are right.
  Trial run(const RandomCase &chosen) const;
  /// What reproduces a case whose module is in this file.
  std::string command(const RandomCase &chosen, const std::string &file) const;

  unsigned seconds = 120, megabytes = 4096; // most that one may take

private:
  Trial runOnce(const RandomCase &chosen) const;
  bool isChance(RandomCase chosen, const Trial &trial) const;
  std::vector<std::string> arguments(const RandomCase &chosen, const std::string &file) const;

  std::string heddle, folder;
};

#endif // HEDDLE_TESTS_RANDOM_TRIAL_H
