//===- CaseCount.h - the number of random cases -----------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_CASECOUNT_H
#define HEDDLE_TESTS_RANDOM_CASECOUNT_H

#include <cstdlib>

/// Returns the number of cases that a random test runs: `count`, multiplied by the environment variable
/// HEDDLE_TEST_TIMES if this variable is a positive number. tests/long.sh sets it.
inline unsigned caseCount(unsigned count) {
  const char *times = std::getenv("HEDDLE_TEST_TIMES");
  int factor = times ? std::atoi(times) : 1;
  return factor > 0 ? count * factor : count;
}

#endif // HEDDLE_TESTS_RANDOM_CASECOUNT_H
