//===- CaseCount.h - how many random cases a test tries ---------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_CASECOUNT_H
#define HEDDLE_TESTS_RANDOM_CASECOUNT_H

#include <cstdlib>

/// The number of cases of a random test: `count`, or HEDDLE_TEST_TIMES as many where tests/long.sh sets that.
inline unsigned caseCount(unsigned count) {
  const char *times = std::getenv("HEDDLE_TEST_TIMES");
  int factor = times ? std::atoi(times) : 1;
  return factor > 0 ? count * factor : count;
}

#endif // HEDDLE_TESTS_RANDOM_CASECOUNT_H
