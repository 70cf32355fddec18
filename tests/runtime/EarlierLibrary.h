//===- EarlierLibrary.h - a library of an earlier version -------*- C++ -*-===//
//
// The library in tests/data/abi3 was compiled by an earlier version of Heddle,
// with version 3 of the ABI. Current runtimes must still call it. It computes
// out [m, 20] = relu(input [m, 8] * weight + bias), with m in 1..64.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RUNTIME_EARLIERLIBRARY_H
#define HEDDLE_TESTS_RUNTIME_EARLIERLIBRARY_H

#include "heddle/heddle.hpp"

#include <cstdio>

struct EarlierLibrary {
  static constexpr size_t maximum = 64, k = 8, n = 20; // the largest m, and the columns of input and out

  static std::string path(const char *name) { return std::string(HEDDLE_TEST_DATA "/../data/abi3/") + name; }

  /// Loads the library; returns an invalid model if this CPU cannot run it.
  static heddle::Model load() {
    std::string weights = path("dense.weights");
    heddle_instance_options options = heddle::options();
    options.weights_path = weights.c_str();
    return heddle::Model::load(path("dense.so"), options);
  }

  EarlierLibrary() : input(maximum * k), expected(maximum * n) {
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = float(double(i * 37 % 101) / 50 - 1);
    if (FILE *file = fopen(path("dense.out").c_str(), "rb")) {
      isRead = fread(expected.data(), sizeof(float), expected.size(), file) == expected.size();
      fclose(file);
    }
  }

  /// Calls the library with m rows and writes the result to `out`. This function allocates no memory itself. Returns
  /// whether the result has the same bits as dense.out, which was written when the library was compiled. If `executor`
  /// is null, the call uses one thread.
  bool call(heddle::Call &call, size_t m, float *out, const heddle_executor *executor = nullptr) const {
    const int64_t inShape[] = {int64_t(m), int64_t(k)}, outShape[] = {int64_t(m), int64_t(n)};
    const heddle_array in = {"input", HEDDLE_F32, 2, inShape, nullptr, {const_cast<float *>(input.data()), nullptr, 0}};
    const heddle_array result = {"out", HEDDLE_F32, 2, outShape, nullptr, {out, nullptr, 0}};
    return heddle_call_bind(call.get(), &in, 1) == HEDDLE_OK &&
           heddle_call_run(call.get(), &result, 1, executor) == HEDDLE_OK &&
           std::memcmp(out, expected.data(), m * n * sizeof(float)) == 0;
  }

  std::vector<float> input, expected; // for m = 64; a call with m rows uses the first m rows
  bool isRead = false; // whether dense.out could be read
};

#endif // HEDDLE_TESTS_RUNTIME_EARLIERLIBRARY_H
