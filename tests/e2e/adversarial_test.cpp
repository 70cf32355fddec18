//===- adversarial_test.cpp - strategies on hard inputs -------------------===//
//
// Runs each embedded strategy for CPUs on one thread and on two.
//
//===----------------------------------------------------------------------===//

#include "EveryStrategy.h"

struct Adversarial : EveryStrategy {};

TEST_P(Adversarial, StrategyIsRight) {
  checkStrategy();
}
INSTANTIATE_EVERY_STRATEGY(Adversarial, "cpu");
