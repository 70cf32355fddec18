//===- mma_test.cpp - the layouts of #heddle.mma --------------------------===//
//
// Distributes the elements of random matrices over the registers of 32 lanes
// according to the layouts of #heddle.mma, and lets the interpreter of PTX,
// which implements the definition of the PTX ISA, multiply them.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "ptx/Kernels.h"

#include "ptx/Rounding.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// A kernel in which each lane loads four registers of the left factor and two of the right one, and stores four sums.
std::string productKernel(const std::string &type) {
  return ptx::kernel(3, "mul.wide.u32 %rd3, %r0, 16; mul.wide.u32 %rd4, %r0, 8; add.u64 %rd0, %rd0, %rd3; "
                        "add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd3; "
                        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0]; ld.global.v2.u32 {%r5, %r6}, [%rd1]; "
                        "mov.f32 %f0, 0f00000000; mma.sync.aligned.m16n8k16.row.col.f32." +
                            type + "." + type +
                            ".f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f0, %f0, %f0, %f0}; "
                            "st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};");
}

struct MmaLayouts : testing::TestWithParam<bool> {
  Runner runner;
  std::mt19937 random{3};
  MmaAttr kind = MmaAttr::get(&runner.context, GetParam() ? Type(Float16Type::get(&runner.context))
                                                          : Type(BFloat16Type::get(&runner.context)));

  uint16_t bitsOf(int number) { return GetParam() ? ptx::toHalf(number) : ptx::toBFloat(number); }
  /// Returns random integers, whose products and sums are exact.
  std::vector<int> matrix(int64_t rows, int64_t columns) {
    std::vector<int> numbers(rows * columns);
    for (int &number : numbers)
      number = std::uniform_int_distribution<int>(-9, 9)(random);
    return numbers;
  }
  /// Returns the registers of all lanes with the elements of a factor.
  ptx::Buffer distributed(FragmentRole role, const std::vector<int> &matrix, int64_t columns) {
    std::vector<uint16_t> elements;
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t element = 0; element < kind.getCount(role); ++element) {
        auto at = kind.getLayout(role).compose({lane, element});
        elements.push_back(bitsOf(matrix[at[0] * columns + at[1]]));
      }
    return ptx::Buffer(elements);
  }
};

} // namespace

TEST_P(MmaLayouts, AreThoseOfTheInstruction) {
  std::vector<int> left = matrix(16, 16), right = matrix(16, 8);
  ptx::Buffer a = distributed(FragmentRole::Left, left, 16), b = distributed(FragmentRole::Right, right, 8),
              sums(size_t(32 * 16));
  ASSERT_EQ(ptx::execute(productKernel(GetParam() ? "f16" : "bf16"), {&a, &b, &sums}), "");
  std::vector<float> results = sums.values<float>();
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t element = 0; element < 4; ++element) {
      auto at = kind.getLayout(FragmentRole::Sum).compose({lane, element});
      int sum = 0;
      for (int64_t k = 0; k < 16; ++k)
        sum += left[at[0] * 16 + k] * right[k * 8 + at[1]];
      EXPECT_EQ(results[4 * lane + element], float(sum)) << lane << ", " << element;
    }
}

TEST_P(MmaLayouts, AreValid) {
  EXPECT_TRUE(bool(FragmentsAttr::getChecked([&] { return emitError(UnknownLoc::get(&runner.context)); },
                                             &runner.context, FragmentKind(kind), int64_t(2), int64_t(2))))
      << runner.errors;
}

INSTANTIATE_TEST_SUITE_P(Types, MmaLayouts, testing::Bool());
