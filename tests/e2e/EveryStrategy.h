//===- EveryStrategy.h - a strategy on inputs that are hard -----*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_EVERYSTRATEGY_H
#define HEDDLE_TESTS_E2E_EVERYSTRATEGY_H

#include "../import/TempDir.h"
#include "Compiled.h"
#include "Operations.h"

#include "heddle/Strategy.h"

/// Compiles with one strategy the operations of the table that it is for, and judges them on the cases of
/// `heddle verify --adversarial`. The parameter is the strategy's number among the embedded ones.
struct EveryStrategy : QuotedOperations {
  static std::vector<unsigned> numbersFor(llvm::StringRef target);
  const heddle::EmbeddedStrategy &embedded() const { return heddle::embeddedStrategies()[GetParam()]; }

  /// Skipped where this CPU lacks what the strategy needs. It is tried on one of every `step` operations of its kind.
  void checkStrategy(unsigned step = 1);

private:
  bool check(const TestedOperation &operation, llvm::StringRef choice);
  void judge(heddle::Session &session, mlir::func::FuncOp main, const heddle::InputCase &test,
             const heddle::WeightSource &weights);

  TempDir dir;
  std::string reason; // why the strategy did not take the last operation
};

/// A suite of `fixture`, which is an EveryStrategy, for this target's strategies and named by them.
#define INSTANTIATE_EVERY_STRATEGY(fixture, target)                                                                    \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Embedded, fixture, testing::ValuesIn(EveryStrategy::numbersFor(target)),                                         \
      [](const testing::TestParamInfo<unsigned> &info) {                                                               \
        std::string name = heddle::embeddedStrategies()[info.param].name.str();                                        \
        std::replace(name.begin(), name.end(), '-', '_');                                                              \
        return name;                                                                                                   \
      })

#endif // HEDDLE_TESTS_E2E_EVERYSTRATEGY_H
