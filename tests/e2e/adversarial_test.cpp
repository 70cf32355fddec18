//===- adversarial_test.cpp - strategies on hard inputs -------------------===//
//
// Compiles operations with each embedded strategy for CPUs. The results for hard inputs, such as huge numbers and NaN,
// must agree with the interpreter and have the same bits on one thread and on two.
//
//===----------------------------------------------------------------------===//

#include "EveryStrategy.h"

struct Adversarial : EveryStrategy {};

TEST_P(Adversarial, StrategyIsRight) {
  checkStrategy();
}
INSTANTIATE_EVERY_STRATEGY(Adversarial, "cpu");
