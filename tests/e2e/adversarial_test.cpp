//===- adversarial_test.cpp - every strategy on inputs that are hard ------===//
//
// Each embedded strategy for CPUs, at one thread and at two.
//
//===----------------------------------------------------------------------===//

#include "EveryStrategy.h"

struct Adversarial : EveryStrategy {};

TEST_P(Adversarial, StrategyIsRight) {
  if (embedded().target != "cpu")
    GTEST_SKIP() << "is for a device: tests/targets/vulkan";
  checkStrategy();
}
INSTANTIATE_EVERY_STRATEGY(Adversarial);
