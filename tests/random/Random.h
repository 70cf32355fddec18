//===- Random.h - random numbers from a seed --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOM_H
#define HEDDLE_TESTS_RANDOM_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <random>

/// Random numbers that are the same on all systems. The C++ standard defines the numbers of the engine, but not those
/// of its distributions, so this class uses no distributions.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Returns a number from 0 to n - 1.
  uint64_t below(uint64_t n) { return engine() % n; }
  /// Returns true with the probability 1 / n.
  bool oneIn(uint64_t n) { return below(n) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

private:
  std::mt19937_64 engine;
};

#endif // HEDDLE_TESTS_RANDOM_RANDOM_H
