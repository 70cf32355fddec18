//===- RandomCase.h - a random case for heddle verify -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMCASE_H
#define HEDDLE_TESTS_RANDOM_RANDOMCASE_H

#include <cstdint>
#include <string>
#include <vector>

/// A model, and the other arguments of `heddle verify`.
struct RandomCase {
  uint64_t seed = 0;
  std::string kind;                 // "graph", "attention" and so on
  std::string text;                 // the text of an .mlir file, or a quoted operation
  std::vector<std::string> options; // of `heddle verify`

  bool isModule() const { return text.find("func.func") != std::string::npos; }
};

/// Returns the case of a seed, which is the same on all systems. It is for the CPU of this machine if `device` is
/// empty.
RandomCase randomCase(uint64_t seed, const std::string &device = "");

#endif // HEDDLE_TESTS_RANDOM_RANDOMCASE_H
