//===- EveryStrategy.h - strategies on hard inputs --------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_EVERYSTRATEGY_H
#define HEDDLE_TESTS_E2E_EVERYSTRATEGY_H

#include "../import/TempDir.h"
#include "Compiled.h"
#include "Operations.h"

#include "heddle/Strategy.h"

/// Tests one strategy: compiles those operations for which Operations.cpp lists in::Hard and the strategy is eligible,
/// and verifies them on the inputs of `heddle verify --adversarial`. The parameter is the index of the strategy in
/// embeddedStrategies().
struct EveryStrategy : QuotedOperations {
  /// Returns the indices of the strategies for a target.
  static std::vector<unsigned> numbersFor(llvm::StringRef target);
  const heddle::EmbeddedStrategy &embedded() const { return heddle::embeddedStrategies()[GetParam()]; }

  /// Tests the strategy on every `step`-th operation of its kind. Skips the test if this CPU lacks a required feature.
  void checkStrategy(unsigned step = 1);

private:
  bool check(const TestedOperation &operation, llvm::StringRef choice);
  void verify(heddle::Session &session, mlir::func::FuncOp main, const heddle::InputCase &test,
              const heddle::WeightSource &weights);

  TempDir dir;
  std::string reason; // why the strategy is not eligible for the last operation
};

/// Instantiates a suite of `fixture`, a class derived from EveryStrategy, with a test for each strategy of the target.
/// The name of the test is the name of the strategy.
#define INSTANTIATE_EVERY_STRATEGY(fixture, target)                                                                    \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Embedded, fixture, testing::ValuesIn(EveryStrategy::numbersFor(target)),                                         \
      [](const testing::TestParamInfo<unsigned> &info) {                                                               \
        std::string name = heddle::embeddedStrategies()[info.param].name.str();                                        \
        std::replace(name.begin(), name.end(), '-', '_');                                                              \
        return name;                                                                                                   \
      })

#endif // HEDDLE_TESTS_E2E_EVERYSTRATEGY_H
