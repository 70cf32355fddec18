//===- Random.h - random numbers from a seed --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOM_H
#define HEDDLE_TESTS_RANDOM_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <random>

/// Random numbers that are the same on all systems: only the engine of the standard library is used, not its
/// distributions.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t n) { return engine() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

private:
  std::mt19937_64 engine;
};

#endif // HEDDLE_TESTS_RANDOM_RANDOM_H
