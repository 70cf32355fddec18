// The first test runs two correct kernels, Inputs/staged_product.ptx and Inputs/softmax.ptx. Each other test makes a
// kernel wrong by a change, or passes a buffer that is too short. The interpreter of PTX must report an error that
// names the kernel and the line. Two of the changes make no access invalid; for these, the results must be wrong.

#include "StagedProduct.h"

#include "ptx/Rounding.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::ptx;

namespace {

/// Returns the text in which occurrence `number` of `from` (counted from 0) is replaced by `to`.
std::string mutate(std::string text, const std::string &from, const std::string &to, int number = 0) {
  size_t at = text.find(from);
  for (; number && at != std::string::npos; --number)
    at = text.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Expects that `error` names the kernel and the line, and contains `reason`.
void expectNamed(const std::string &error, const std::string &kernel, unsigned line, const std::string &reason) {
  EXPECT_EQ(error.substr(0, error.find(':')), kernel + ", PTX line " + std::to_string(line)) << error;
  EXPECT_NE(error.find(reason), std::string::npos) << error;
}

std::string product() { return readInput("staged_product.ptx"); }
std::string softmax() { return readInput("softmax.ptx"); }

/// Runs a product of 64 x 160 by 160 x 64. Returns the error, or "" on success. If `worst` is not null, it receives the
/// largest error of an element. The buffer of b is `shorter` bytes too short.
std::string runProduct(const std::string &text, double *worst = nullptr, unsigned shorter = 0) {
  StagedProduct staged(64, 64, 160);
  std::string error = staged.run(text, nullptr, shorter);
  if (worst)
    *worst = staged.worstError();
  return error;
}

/// Runs a softmax of 10 rows of 75 columns, with four rows in each workgroup. Returns the error, or "" on success. If
/// `worst` is not null, it is raised to the largest error of an element.
std::string runSoftmax(const std::string &text, double *worst = nullptr) {
  constexpr unsigned rows = 10, columns = 75;
  std::mt19937 random(4);
  std::vector<float> values(rows * columns);
  for (float &value : values)
    value = std::uniform_real_distribution<float>(-6, 6)(random);
  Buffer in(values), out(values.size() * 4), sizes(std::vector<uint32_t>{rows, columns});
  std::string error = execute(text, {&in, &out, &sizes}, {{3, 1, 1}, {128, 1, 1}});
  std::vector<float> results = out.values<float>();
  for (unsigned row = 0; worst && row < rows; ++row) {
    double sum = 0;
    for (unsigned i = 0; i < columns; ++i)
      sum += std::exp(double(values[row * columns + i]));
    for (unsigned i = 0; i < columns; ++i) {
      double off = std::fabs(results[row * columns + i] - std::exp(double(values[row * columns + i])) / sum);
      *worst = std::isnan(*worst) || off <= *worst ? *worst : off;
    }
  }
  return error;
}

const char notComplete[] = "the destination of an async copy that is not complete";

} // namespace

TEST(PtxMutants, TheUnchangedKernelsAreRight) {
  double worst = 0;
  EXPECT_EQ(runSoftmax(softmax(), &worst), "");
  EXPECT_LT(worst, 1e-6);
  EXPECT_EQ(runProduct(product(), &worst), "");
  EXPECT_LT(worst, 1e-5);
}

TEST(PtxMutants, MissingBarrier) {
  std::string text = mutate(product(), "bar.sync", "//bar.sync");
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "ldmatrix"), "which thread 4 wrote");
  text = mutate(softmax(), "bar.sync", "//bar.sync");
  expectNamed(runSoftmax(text), "softmax_launch0", lineOf(text, "ld.shared.f32"), "which thread 0 wrote");
}

TEST(PtxMutants, MissingWait) {
  std::string text = mutate(product(), "cp.async.wait_group", "//cp.async.wait_group");
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "ldmatrix"), notComplete);
}

TEST(PtxMutants, MissingCommit) {
  std::string text = mutate(product(), "cp.async.commit_group", "//cp.async.commit_group", 2);
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "ldmatrix"), notComplete);
}

TEST(PtxMutants, WrongStride) {
  // The kernel reads rows of b as if the number of columns of b were equal to the depth.
  std::string text = mutate(product(), "mul.lo.u32 \t%r12, %r6, %r2", "mul.lo.u32 \t%r12, %r6, %r1");
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "[%r31+2048], [%rd2]"), "of buffer 1 at byte");
}

TEST(PtxMutants, WrongStage) {
  // The copies overwrite the stage, one of three buffers in shared memory, that is being multiplied.
  std::string text = mutate(product(), "mov.u32 \t%r29, 8192", "mov.u32 \t%r29, 0");
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "ldmatrix"), notComplete);
}

TEST(PtxMutants, WrongSwizzle) {
  double worst = 0;
  EXPECT_EQ(runProduct(mutate(product(), "xor.b32 \t%r24, %r24, %r23", "mov.b32 \t%r24, %r24"), &worst), "");
  EXPECT_GT(worst, 0.1);
}

TEST(PtxMutants, OffByOneInTheLastBlock) {
  std::string text = mutate(product(), "setp.ge.u32 \t%p1, %r30, %r13", "setp.gt.u32 \t%p1, %r30, %r13");
  expectNamed(runProduct(text), "product_launch0", lineOf(text, "[%r31+2048], [%rd2]"), "of buffer 1 at byte");
}

TEST(PtxMutants, MissingBoundsCheck) {
  std::string text = mutate(softmax(), "@%p1 bra \tJOIN", "//@%p1 bra \tJOIN");
  expectNamed(runSoftmax(text), "softmax_launch0", lineOf(text, "ld.global.f32"),
              "of buffer 0 at byte 3000, outside its 3000 bytes");
}

TEST(PtxMutants, WrongRescaleOfTheRunningSum) {
  double worst = 0;
  EXPECT_EQ(runSoftmax(mutate(softmax(), "fma.rn.f32 \t%f2, %f2, %f5, %f6", "add.rn.f32 \t%f2, %f2, %f6"), &worst), "");
  EXPECT_GT(worst, 1e-3);
}

TEST(PtxMutants, ShuffleOfTooFewLanes) {
  std::string text = mutate(softmax(), "%r10, 31, -1", "%r10, 31, 65535", 1);
  expectNamed(runSoftmax(text), "softmax_launch0", lineOf(text, "65535"),
              "executes the instruction, but is not in the mask");
}

TEST(PtxMutants, BufferTooShort) {
  expectNamed(runProduct(product(), nullptr, 16), "product_launch0", lineOf(product(), "[%r31+2048], [%rd2]"),
              "reads 16 bytes of buffer 1 at byte 20464, outside its 20464 bytes");
}

TEST(PtxMutants, ReadBeforeWrite) {
  std::string text = mutate(softmax(), "@%p4 st.shared.f32", "//@%p4 st.shared.f32");
  expectNamed(runSoftmax(text), "softmax_launch0", lineOf(text, "ld.shared.f32"), "which has not been written");
}
