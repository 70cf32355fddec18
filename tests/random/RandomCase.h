//===- RandomCase.h - one random question to heddle verify ------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMCASE_H
#define HEDDLE_TESTS_RANDOM_RANDOMCASE_H

#include <cstdint>
#include <string>
#include <vector>

/// A model, and what `heddle verify` is told beside it.
struct RandomCase {
  uint64_t seed = 0;
  std::string kind;                 // what makes it: "graph", "attention", ..
  std::string text;                 // of an .mlir file, or a quoted operation
  std::vector<std::string> options; // of `heddle verify`

  bool isModule() const { return text.find("func.func") != std::string::npos; }
};

/// The case of a seed, the same everywhere; for this machine's CPU where `device` is "".
RandomCase randomCase(uint64_t seed, const std::string &device = "");

#endif // HEDDLE_TESTS_RANDOM_RANDOMCASE_H
