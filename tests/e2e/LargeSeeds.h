//===- LargeSeeds.h - models too large to be kept in the repository -------===//
//
// Self-attention over 512 features, cross-attention with padding, and scores that are used raw: built as ONNX files at
// their own sizes, weights from a seed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_E2E_LARGESEEDS_H
#define HEDDLE_TESTS_E2E_LARGESEEDS_H

#include "../import/TempDir.h"
#include "Compiled.h"

/// What is recognised is counted; compiled code is judged by the interpreter. The parameter is the model's number.
struct LargeSeeds : QuotedOperations {
  void checkSeed();
  static std::string nameOf(const testing::TestParamInfo<unsigned> &info);

private:
  TempDir dir;
};

/// A suite of `fixture`, which is a LargeSeeds, with a test for each model.
#define INSTANTIATE_LARGE_SEEDS(fixture)                                                                               \
  TEST_P(fixture, IsRight) { checkSeed(); }                                                                            \
  INSTANTIATE_TEST_SUITE_P(Models, fixture, testing::Range(0u, 3u), LargeSeeds::nameOf)

#endif // HEDDLE_TESTS_E2E_LARGESEEDS_H
