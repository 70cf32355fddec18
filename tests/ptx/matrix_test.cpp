// The matrix instructions ldmatrix and mma in the interpreter of PTX. The results of the kernel
// Inputs/staged_product.ptx are compared with results in f64, and single instructions are tested.

#include "StagedProduct.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

TEST(PtxMatrix, StagedProductIsRight) {
  for (unsigned depth : {64, 96, 160}) {
    StagedProduct product(64, 96, depth);
    ASSERT_EQ(product.run(readInput("staged_product.ptx")), "");
    EXPECT_LT(product.worstError(), 1e-5) << depth;
  }
}

TEST(PtxMatrix, StagedProductOfHalfFloatsIsRight) {
  std::string text = readInput("staged_product.ptx");
  for (size_t at; (at = text.find("bf16.bf16")) != std::string::npos;)
    text.replace(at, 9, "f16.f16");
  StagedProduct product(32, 64, 128, /*half=*/true);
  ASSERT_EQ(product.run(text), "");
  EXPECT_LT(product.worstError(), 1e-5);
}

TEST(PtxMatrix, SwizzledRowsHaveNoConflicts) {
  Counters counters;
  StagedProduct product(64, 64, 128);
  ASSERT_EQ(product.run(readInput("staged_product.ptx"), &counters), "");
  // Each request, an asynchronous copy or an ldmatrix.x4 of a warp, moves 512 bytes. Without bank conflicts, a
  // wavefront moves 128 bytes of them.
  EXPECT_EQ(counters.sharedWavefronts, 4 * counters.sharedRequests);
}

// The results are the summands in swapped registers: a result must not overwrite a summand that is still to be read.
TEST(PtxMatrix, MmaMayWriteResultsToRegistersOfOtherOperands) {
  Buffer out(size_t(32 * 16));
  const std::string swapped = "mov.u32 %r1, 0; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, %f1; "
                              "mov.f32 %f4, %f2; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f1, %f4, "
                              "%f3}, {%r1, %r1}, {%r1}, {%f1, %f2, %f3, %f4}; mul.wide.u32 %rd1, %r0, 16; "
                              "add.u64 %rd1, %rd1, %rd0; st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};";
  ASSERT_EQ(execute(kernel(1, swapped), {&out}), "");
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(out.values<float>()[i], i % 2 ? 1 : 2) << i;
}

TEST(PtxMatrix, AllLanesMustExecuteTheInstruction) {
  const std::string half = "setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, memory;\n@%p1 ";
  auto errorOf = [&](const std::string &instruction) {
    return execute(kernel(0, half + instruction, ".shared .align 16 .b8 memory[512];"), {});
  };
  for (const char *instruction : {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
                                  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
                                  "{%r3}, {%f1, %f2, %f3, %f4};"}) {
    std::string error = errorOf(instruction);
    EXPECT_NE(error.find("the instruction requires all 32 lanes of the warp, but lane 16 does not execute"),
              std::string::npos)
        << error;
  }
}
