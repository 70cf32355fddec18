// Tests cp.async in the interpreter of PTX: an asynchronous copy is complete when its thread has waited for it, and
// becomes visible to other threads at a barrier. Earlier reads must be errors, because a GPU would not detect them.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

/// Returns the body of a kernel in which each thread copies 16 bytes into shared memory with the instruction `copy`,
/// executes `between`, and stores the 16 bytes that its neighbour copied. Threads 2 n and 2 n + 1 are neighbours.
std::string copyBody(const std::string &between,
                     const std::string &copy = "cp.async.ca.shared.global [%r2], [%rd2], 16;") {
  return "mov.u32 %r1, memory; shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1; mul.wide.u32 %rd10, %r0, 16; "
         "add.u64 %rd2, %rd10, %rd0; add.u64 %rd3, %rd10, %rd1; xor.b32 %r3, %r2, 16;\n" +
         copy + "\n" + between +
         "\nld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r3];\nst.global.v4.b32 [%rd3], {%r4, %r5, %r6, %r7};";
}

/// Executes a body from `copyBody` with 64 threads. The input contains the numbers 0 to 255, four for each thread.
/// Returns the error, or "" on success, and stores the output in `results` if it is not null.
std::string stagingErrorOf(const std::string &body, std::vector<uint32_t> *results = nullptr) {
  std::vector<uint32_t> values(256);
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] = i;
  Buffer in(values), out(1024);
  Shape shape;
  shape.threads = {64, 1, 1};
  std::string error = execute(kernel(2, body, ".shared .align 16 .b8 memory[1024];"), {&in, &out}, shape);
  if (results)
    *results = out.values<uint32_t>();
  return error;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST(PtxAsync, ACopyIsCompleteAfterItsWait) {
  std::vector<uint32_t> results;
  ASSERT_EQ(stagingErrorOf(copyBody("cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;"), &results), "");
  for (uint32_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], i ^ 4);
  EXPECT_EQ(stagingErrorOf(copyBody("cp.async.wait_all; bar.sync 0;")), "");
}

TEST(PtxAsync, AReadBeforeTheWaitIsAnError) {
  const std::string notComplete = "the destination of an async copy that is not complete: the thread that started the "
                                  "copy of line 2 has not waited "
                                  "for the copy";
  for (const char *between : {"cp.async.commit_group; bar.sync 0;", "cp.async.wait_group 0; bar.sync 0;",
                              "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;"}) {
    std::string error = stagingErrorOf(copyBody(between));
    EXPECT_TRUE(contains(error, "k, PTX line 4: ld.shared.v4.b32") && contains(error, notComplete)) << error;
  }
}

TEST(PtxAsync, OtherThreadsNeedABarrierAfterTheWait) {
  std::string error = stagingErrorOf(copyBody("cp.async.commit_group; cp.async.wait_group 0;"));
  EXPECT_TRUE(contains(error, "k, PTX line 4: ld.shared.v4.b32") &&
              contains(error, "which thread 1 wrote: no barrier orders the two accesses"))
      << error;
}

TEST(PtxAsync, ACopyIntoMemoryThatAnotherThreadReadsIsARace) {
  std::string error = stagingErrorOf(copyBody("cp.async.wait_all; bar.sync 0; ld.shared.b32 %r8, [%r3];\n"
                                              "cp.async.ca.shared.global [%r2], [%rd2], 16;"));
  EXPECT_TRUE(contains(error, "k, PTX line 4: cp.async") && contains(error, "which thread 1 read:")) << error;
}

TEST(PtxAsync, TheRestOfAShortCopyIsZeros) {
  std::vector<uint32_t> results;
  // Each copy reads only 8 bytes from device memory; the remaining 8 bytes in shared memory become 0.
  ASSERT_EQ(stagingErrorOf(copyBody("cp.async.wait_all; bar.sync 0;",
                                    "mov.u32 %r9, 8; cp.async.cg.shared.global [%r2], [%rd2], 16, %r9;"),
                           &results),
            "");
  for (uint32_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], i % 4 < 2 ? i ^ 4 : 0);
  EXPECT_TRUE(
      contains(stagingErrorOf(copyBody("", "mov.u32 %r9, 32; cp.async.cg.shared.global [%r2], [%rd2], 16, %r9;")),
               "the source has 32 bytes, more than the 16 bytes of the copy"));
  EXPECT_EQ(
      stagingErrorOf(copyBody("cp.async.wait_all; bar.sync 0;",
                              "mov.u64 %rd2, 0; mov.u32 %r9, 0; cp.async.cg.shared.global [%r2], [%rd2], 16, %r9;")),
      "");
}

TEST(PtxAsync, CopiesOutOfBoundsAreErrors) {
  EXPECT_TRUE(contains(stagingErrorOf(copyBody("", "cp.async.cg.shared.global [%r2], [%rd2+1024], 16;")),
                       "reads 16 bytes of buffer 0 at byte 1024, outside its 1024 bytes"));
  EXPECT_TRUE(contains(stagingErrorOf(copyBody("", "cp.async.cg.shared.global [%r2+1024], [%rd2], 16;")),
                       "writes 16 bytes of shared memory at byte 1024, outside its 1024 bytes"));
  EXPECT_TRUE(
      contains(stagingErrorOf(copyBody("", "cp.async.ca.shared.global [%r2+4], [%rd2], 8;")), "not a multiple"));
}
