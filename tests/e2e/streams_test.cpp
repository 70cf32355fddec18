//===- streams_test.cpp - non-temporal stores of results ------------------===//
//
// The code of large norms and softmaxes writes the result with non-temporal stores if the result is aligned to a cache
// line, and with ordinary stores otherwise. The results must be right, and must have the same bits with both kinds of
// stores and on one and two threads.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include <cmath>

namespace {

/// Memory of `size` bytes whose address `start` is a multiple of 64 plus `shift`.
struct Placed {
  Placed(size_t size, size_t shift) : bytes(size + 128, char(0xff)), size(size) {
    start = bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64 + shift;
  }
  llvm::StringRef contents() const { return {start, size}; }
  std::vector<char> bytes;
  char *start;
  size_t size;
};

struct Streams : QuotedOperations {
  /// Runs a quoted operation on rows of 1024 elements with four combinations of alignment and threads, and expects
  /// results of equal bits. Compares some elements with `expected`, which returns element `i` of the result for the row
  /// `x` of the input.
  void check(llvm::StringRef operation, llvm::function_ref<double(llvm::ArrayRef<double>, size_t)> expected) {
    auto model = heddle::importModel(context, operation);
    ASSERT_TRUE(succeeded(model));
    std::unique_ptr<heddle::Session> session = compileHere(std::move(*model));
    ASSERT_TRUE(session);
    size_t size = session->bytesOf(session->model().outputs[0]);
    std::vector<float> input(size / sizeof(float));
    uint32_t state = 1;
    for (float &x : input)
      x = float((state = state * 1664525u + 1013904223u) >> 8) / float(1 << 22) - 2.0f;
    std::vector<const void *> pointers = {input.data()};
    auto run = [&](size_t shift, const heddle_executor *threads) {
      Placed out(size, shift);
      std::vector<void *> outputs = {out.start};
      llvm::cantFail(session->run(pointers, outputs, threads));
      return out;
    };
    Placed aligned = run(0, nullptr);
    EXPECT_TRUE(aligned.contents() == run(4, nullptr).contents());
    EXPECT_TRUE(aligned.contents() == run(0, executor).contents());
    EXPECT_TRUE(aligned.contents() == run(60, executor).contents());

    const size_t columns = 1024, rows = size / 4 / columns;
    for (size_t row : {size_t(0), size_t(3), rows / 2 + 1, rows - 1}) {
      const float *x = input.data() + row * columns;
      std::vector<double> values(x, x + columns);
      for (size_t i : {size_t(0), size_t(17), columns - 1})
        EXPECT_NEAR(reinterpret_cast<const float *>(aligned.start)[row * columns + i], expected(values, i), 1e-5);
    }
  }
};

TEST_F(Streams, LayerNorm) {
  check("layer_norm rows=8193 d=1024 scale=0 bias=0", [](llvm::ArrayRef<double> x, size_t i) {
    double mean = 0, variance = 0;
    for (double value : x)
      mean += value / double(x.size());
    for (double value : x)
      variance += (value - mean) * (value - mean) / double(x.size());
    return (x[i] - mean) / std::sqrt(variance + 1e-5);
  });
}

TEST_F(Streams, Softmax) {
  check("softmax rows=8194 d=1024", [](llvm::ArrayRef<double> x, size_t i) {
    double sum = 0;
    for (double value : x)
      sum += std::exp(value);
    return std::exp(x[i]) / sum;
  });
}

} // namespace
