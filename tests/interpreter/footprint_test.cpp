//===- footprint_test.cpp - memory use of the interpreter -----------------===//

#include "Run.h"

#include "interpreter/Footprint.h"

#include <sys/resource.h>

using namespace heddle;
using namespace mlir;

namespace {
struct Footprint : testing::Test {
  Runner runner;

  /// Parses a module and returns the estimate `peakBytes` of its @main, in bytes, without interpreting the function.
  uint64_t peak(llvm::StringRef text) {
    runner.module = parseSourceString<ModuleOp>(text, &runner.context);
    EXPECT_TRUE(runner.module) << runner.errors;
    return runner.module ? peakBytes(runner.module->lookupSymbol<func::FuncOp>("main")) : 0;
  }
};

/// The interpreter stores each of the 11 elements in 8 bytes. Compiled code stores six f32 and five i1, 4 bytes and 1
/// byte each.
TEST_F(Footprint, CountsEightBytesForEachElement) {
  Builder b(&runner.context);
  Type types[] = {RankedTensorType::get({2, 3}, b.getF32Type()), RankedTensorType::get({5}, b.getI1Type())};
  EXPECT_EQ(interpretedBytes(types), 88u);
  EXPECT_EQ(storedBytes(types), 29u);
  Type huge[] = {RankedTensorType::get({int64_t(1) << 40, int64_t(1) << 40}, b.getF32Type()), types[0]};
  EXPECT_EQ(interpretedBytes(huge), UINT64_MAX);
  EXPECT_EQ(storedBytes(huge), UINT64_MAX);
}

// At most two buffers of 800 bytes exist at a time. The buffer of %a is freed after %b is computed, and the buffer of
// %g, to which %c is written, is allocated afterwards. Reshapes share the buffer of their operand.
TEST_F(Footprint, ModelsFreedMemoryAndInPlaceWrites) {
  EXPECT_EQ(peak(R"(
    func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %e = tensor.empty() : tensor<100xf32>
      %a = linalg.exp ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
      %f = tensor.empty() : tensor<100xf32>
      %b = linalg.exp ins(%a : tensor<100xf32>) outs(%f : tensor<100xf32>) -> tensor<100xf32>
      %r = tensor.expand_shape %b [[0, 1]] output_shape [10, 10] : tensor<100xf32> into tensor<10x10xf32>
      %s = tensor.collapse_shape %r [[0, 1]] : tensor<10x10xf32> into tensor<100xf32>
      %g = tensor.empty() : tensor<100xf32>
      %c = linalg.exp ins(%s : tensor<100xf32>) outs(%g : tensor<100xf32>) -> tensor<100xf32>
      return %c : tensor<100xf32>
    })"),
            uint64_t(2 * 800));
}

/// The tensors are much larger than memory: `peakBytes` must not allocate them, and the count of bytes must not
/// overflow.
TEST_F(Footprint, CountsConstantsAndSaturates) {
  EXPECT_EQ(peak(R"(
    func.func @main() -> tensor<100000000000xf32> {
      %c = arith.constant dense<2.0> : tensor<100000000000xf32>
      return %c : tensor<100000000000xf32>
    })"),
            uint64_t(800000000000));
  EXPECT_EQ(peak(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<2305843009213693952x4xf32> {
      %a = tensor.empty() : tensor<2305843009213693952x4xf32>
      return %a : tensor<2305843009213693952x4xf32>
    })"),
            UINT64_MAX);
}

// The scores of all 8192 queries and keys would occupy 512 MiB. Both the estimate and the memory that the process
// actually uses must be much smaller.
TEST_F(Footprint, AttentionDoesNotStoreAllScores) {
  auto peakOfProcess = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return uint64_t(usage.ru_maxrss) * 1024;
  };
  const char *text = R"(
    func.func @main(%q: tensor<1x1x8192x1xf32>, %k: tensor<1x1x8192x1xf32>) -> tensor<1x1x8192x1xf32> {
      %r = heddle.attention %q, %k, %k : (tensor<1x1x8192x1xf32>, tensor<1x1x8192x1xf32>, tensor<1x1x8192x1xf32>)
        -> tensor<1x1x8192x1xf32>
      return %r : tensor<1x1x8192x1xf32>
    })";
  EXPECT_LT(peak(text), uint64_t(1) << 20);
  Tensor ones = runner.f32({1, 1, 8192, 1}, std::vector<double>(8192, 1.0));
  uint64_t before = peakOfProcess();
  EXPECT_EQ(runner.floats(text, {ones, ones}), std::vector<double>(8192, 1.0));
  EXPECT_LT(peakOfProcess() - before, uint64_t(64) << 20);
}

} // namespace
