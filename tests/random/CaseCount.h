//===- CaseCount.h - the number of random cases -----------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_CASECOUNT_H
#define HEDDLE_TESTS_RANDOM_CASECOUNT_H

#include <cstdlib>

/// Returns the number of cases of a random test: `count`, multiplied by HEDDLE_TEST_TIMES if tests/long.sh sets it.
inline unsigned caseCount(unsigned count) {
  const char *times = std::getenv("HEDDLE_TEST_TIMES");
  int factor = times ? std::atoi(times) : 1;
  return factor > 0 ? count * factor : count;
}

#endif // HEDDLE_TESTS_RANDOM_CASECOUNT_H
