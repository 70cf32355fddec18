//===- LargeSeeds.h - models too large for the repository -----------------===//
//
// Self-attention over 512 features, cross-attention with padding, and scores that are used without a softmax. The
// models are ONNX files with random weights.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_E2E_LARGESEEDS_H
#define HEDDLE_TESTS_E2E_LARGESEEDS_H

#include "../import/TempDir.h"
#include "Compiled.h"

/// Counts the recognised layers, and verifies compiled code against the interpreter. The parameter is the index of the
/// model in the list in LargeSeeds.cpp.
struct LargeSeeds : QuotedOperations {
  void checkSeed();
  /// Returns the name of the parameter's model.
  static std::string nameOf(const testing::TestParamInfo<unsigned> &info);

private:
  TempDir dir;
};

/// Instantiates a suite of `fixture`, which is LargeSeeds or a class derived from it, with a test for each model.
#define INSTANTIATE_LARGE_SEEDS(fixture)                                                                               \
  TEST_P(fixture, IsRight) { checkSeed(); }                                                                            \
  INSTANTIATE_TEST_SUITE_P(Models, fixture, testing::Range(0u, 3u), LargeSeeds::nameOf)

#endif // HEDDLE_TESTS_E2E_LARGESEEDS_H
