//===- RandomCase.h - a random case for heddle verify -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMCASE_H
#define HEDDLE_TESTS_RANDOM_RANDOMCASE_H

#include <cstdint>
#include <string>
#include <vector>

/// A random model and the other arguments with which `heddle verify` is called.
struct RandomCase {
  uint64_t seed = 0;
  std::string kind;                 // "graph", "mixed", "mixed-range", "mixed-ranges" or the name of an operation
  std::string text;                 // the text of an .mlir file, or a quoted operation
  std::vector<std::string> options; // options of `heddle verify`

  bool isModule() const { return text.find("func.func") != std::string::npos; }
};

/// Returns the case of a seed. Equal seeds yield equal cases. The case is for a device of the kind `device`, or for a
/// CPU if `device` is empty.
RandomCase randomCase(uint64_t seed, const std::string &device = "");

#endif // HEDDLE_TESTS_RANDOM_RANDOMCASE_H
