//===- RandomOperation.h - random quoted operations -------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_RANDOM_RANDOMOPERATION_H
#define HEDDLE_TESTS_RANDOM_RANDOMOPERATION_H

#include <cstdint>
#include <string>

/// Returns a random quoted operation with random knobs, such as 'linear m=17 n=1..40 k=8 bias=1'. Equal seeds yield
/// equal texts.
std::string randomOperation(uint64_t seed);

#endif // HEDDLE_TESTS_RANDOM_RANDOMOPERATION_H
