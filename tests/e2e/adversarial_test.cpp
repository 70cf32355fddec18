//===- adversarial_test.cpp - every strategy on inputs that are hard ------===//
//
// Each embedded strategy for CPUs, at one thread and at two.
//
//===----------------------------------------------------------------------===//

#include "EveryStrategy.h"

struct Adversarial : EveryStrategy {};

TEST_P(Adversarial, StrategyIsRight) {
  checkStrategy();
}
INSTANTIATE_EVERY_STRATEGY(Adversarial, "cpu");
