// Tests control flow in the interpreter of PTX: divergent and reconverging lanes, barriers, shuffles and votes.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

/// Executes a kernel with this body in one workgroup, and returns the final value of %r13 in each thread.
std::vector<uint32_t> run(const std::string &body, unsigned threads = 32, const std::string &declarations = "") {
  Buffer out(threads * 4);
  Shape shape;
  shape.threads = {threads, 1, 1};
  EXPECT_EQ(
      execute(kernel(1, body + "\nmul.wide.u32 %rd50, %r0, 4; add.u64 %rd50, %rd50, %rd0; st.global.b32 [%rd50], %r13;",
                     declarations),
              {&out}, shape),
      "");
  return out.values<uint32_t>();
}

/// Expects that the value of thread i is expect(i).
template <typename Expect> void expectEach(const std::vector<uint32_t> &values, Expect expect) {
  for (uint32_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], uint32_t(expect(i))) << "thread " << i;
}

} // namespace

TEST(PtxFlow, LanesReconvergeAfterLoopsOfDifferentLengths) {
  // Each lane counts up to its number. All lanes have reconverged at the vote, which requires all of them.
  auto values =
      run("mov.u32 %r13, 0; LOOP: setp.ge.u32 %p1, %r13, %r0; @%p1 bra OUT; add.u32 %r13, %r13, 1; bra.uni LOOP;\n"
          "OUT: setp.eq.u32 %p2, %r13, %r0; vote.sync.all.pred %p3, %p2, -1; @!%p3 mov.u32 %r13, 99;");
  expectEach(values, [](uint32_t i) { return i; });
}

TEST(PtxFlow, BothWaysOfABranch) {
  auto values = run("and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN; mul.lo.u32 %r13, %r0, 3; bra JOIN;\n"
                    "EVEN: mul.lo.u32 %r13, %r0, 5;\nJOIN: add.u32 %r13, %r13, 1;");
  expectEach(values, [](uint32_t i) { return i * (i % 2 ? 3 : 5) + 1; });
}

TEST(PtxFlow, LanesMayReconvergeAboveTheBranch) {
  // The lanes reconverge at JOIN, which is above the branch in the text. Lanes that skip the inner loop wait there
  // until the others arrive.
  auto values =
      run("mov.u32 %r13, 0; mov.u32 %r1, 0; setp.lt.u32 %p1, %r0, 24; bra.uni OUTER;\n"
          "JOIN: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3; @%p2 bra OUTER; bra.uni DONE;\n"
          "OUTER: bar.sync 0; @%p1 bra JOIN; mov.u32 %r2, 0;\n"
          "INNER: add.u32 %r13, %r13, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, %r0; @%p3 bra INNER; bra.uni "
          "JOIN;\nDONE:");
  expectEach(values, [](uint32_t i) { return i < 24 ? 0 : 3 * i; });
}

TEST(PtxFlow, LanesMayExitEarly) {
  Buffer out(std::vector<uint32_t>(64, 7));
  Shape shape;
  shape.threads = {64, 1, 1};
  // Barriers do not wait for threads that have exited.
  EXPECT_EQ(execute(kernel(1, "setp.ge.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0; mul.wide.u32 %rd1, %r0, 4; "
                              "add.u64 %rd1, %rd1, %rd0; st.global.b32 [%rd1], %r0;"),
                    {&out}, shape),
            "");
  expectEach(out.values<uint32_t>(), [](uint32_t i) { return i < 40 ? i : 7; });
}

// Each thread stores tid.x, tid.y, its lane and its index in the whole launch.
TEST(PtxFlow, ThreadsReadTheirPosition) {
  Buffer out(2 * 3 * 2 * 8 * 4 * 4);
  Shape shape;
  shape.groups = {2, 3, 2};
  shape.threads = {4, 2, 1};
  EXPECT_EQ(execute(kernel(1, R"(
      mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ctaid.z;
      mov.u32 %r5, %ntid.x; mov.u32 %r6, %nctaid.x; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %laneid;
      mad.lo.u32 %r9, %r4, %r7, %r3; mad.lo.u32 %r9, %r9, %r6, %r2; shl.b32 %r9, %r9, 3; mad.lo.u32 %r9, %r1, %r5, %r9;
      add.u32 %r9, %r9, %r0; mul.wide.u32 %rd1, %r9, 16; add.u64 %rd1, %rd1, %rd0;
      st.global.v4.b32 [%rd1], {%r0, %r1, %r8, %r9};)"),
                    {&out}, shape),
            "");
  std::vector<uint32_t> values = out.values<uint32_t>();
  for (uint32_t i = 0; i < values.size() / 4; ++i)
    EXPECT_EQ(std::vector<uint32_t>(&values[4 * i], &values[4 * i] + 4),
              (std::vector<uint32_t>{i % 4, i / 4 % 2, i % 8, i}));
}

TEST(PtxFlow, BarriersMakeSharedMemoryVisible) {
  auto values = run(R"(mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r0;
                       bar.sync 0;
                       xor.b32 %r3, %r0, 127; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r1; ld.shared.u32 %r13, [%r3];)",
                    128, ".shared .align 4 .b8 memory[512];");
  expectEach(values, [](uint32_t i) { return i ^ 127; });
}

TEST(PtxFlow, Shuffles) {
  auto shuffled = [](const std::string &how) { return run("shfl.sync." + how + ", -1;"); };
  expectEach(shuffled("bfly.b32 %r13, %r0, 5, 31"), [](uint32_t i) { return i ^ 5; });
  expectEach(shuffled("up.b32 %r13, %r0, 3, 0"), [](uint32_t i) { return i < 3 ? i : i - 3; });
  expectEach(shuffled("down.b32 %r13, %r0, 3, 31"), [](uint32_t i) { return i > 28 ? i : i + 3; });
  expectEach(shuffled("idx.b32 %r13, %r0, 7, 31"), [](uint32_t) { return 7; });
  // Shuffles within segments of eight lanes.
  expectEach(shuffled("idx.b32 %r13, %r0, 3, 0x181f"), [](uint32_t i) { return (i & ~7u) | 3; });
  expectEach(shuffled("down.b32 %r13, %r0, 1, 0x1807"), [](uint32_t i) { return i % 8 == 7 ? i : i + 1; });
  expectEach(run("shfl.sync.up.b32 %r13|%p1, %r0, 1, 0, -1; @!%p1 mov.u32 %r13, 77;"),
             [](uint32_t i) { return i ? i - 1 : 77; });
}

TEST(PtxFlow, Votes) {
  expectEach(run("setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r13, !%p1, -1;"), [](uint32_t) { return ~31u; });
  expectEach(run("setp.lt.u32 %p1, %r0, 5; vote.sync.any.pred %p2, %p1, -1; selp.b32 %r13, 1, 0, %p2;"),
             [](uint32_t) { return 1; });
  expectEach(run("setp.lt.u32 %p1, %r0, 5; vote.sync.uni.pred %p2, %p1, -1; selp.b32 %r13, 1, 0, %p2;"),
             [](uint32_t) { return 0; });
}

TEST(PtxFlow, LocalAndConstantMemoryAndGenericAddresses) {
  expectEach(
      run(R"(mov.b64 %rd1, stack; shl.b32 %r1, %r0, 1; st.local.v2.b32 [%rd1], {%r1, %r0}; ld.local.b32 %r2, [%rd1+4];
                    cvta.local.u64 %rd2, %rd1; ld.b32 %r3, [%rd2];
                    mov.b64 %rd3, table; and.b32 %r4, %r0, 3; mul.wide.u32 %rd4, %r4, 2; add.u64 %rd3, %rd3, %rd4;
                    ld.const.u16 %r5, [%rd3]; ld.global.s16 %r6, [values+2];
                    add.u32 %r13, %r2, %r3; add.u32 %r13, %r13, %r5; add.u32 %r13, %r13, %r6;
                    .local .align 8 .b8 stack[8];)",
          32, ".const .align 2 .u16 table[4] = {10, 20, 30, 40}; .global .align 2 .s16 values[2] = {1, -1};"),
      [](uint32_t i) { return 3 * i + 10 * (i % 4 + 1) - 1; });
}

// A register that is declared in a block hides a register of the same name outside of the block.
TEST(PtxFlow, BlocksHaveTheirOwnRegisters) {
  expectEach(run("mul.wide.u32 %rd1, %r0, 3; { .reg .b32 part; mov.b64 {part, %r1}, %rd1; add.u32 %r13, part, 1; }\n"
                 "{ .reg .b32 part, %r0; mov.u32 %r0, 7; mov.u32 part, %r0; { .reg .b32 part; mov.u32 part, 50; }\n"
                 "add.u32 %r13, %r13, part; }\nadd.u32 %r13, %r13, %r0;"),
             [](uint32_t i) { return 4 * i + 8; });
}

TEST(PtxFlow, AtomicOperationsOfAllThreads) {
  Buffer out(std::vector<uint32_t>{0, 100, 5, 0});
  Shape shape;
  shape.groups = {4, 1, 1};
  shape.threads = {64, 1, 1};
  EXPECT_EQ(execute(kernel(1, "atom.global.add.u32 %r1, [%rd0], 2; red.global.min.s32 [%rd0+4], %r0; "
                              "atom.global.cas.b32 %r2, [%rd0+8], 5, 6; red.global.add.f32 [%rd0+12], 0f3F000000;"),
                    {&out}, shape),
            "");
  EXPECT_EQ(out.values<uint32_t>()[0], 512u);
  EXPECT_EQ(out.values<uint32_t>()[1], 0u);
  EXPECT_EQ(out.values<uint32_t>()[2], 6u);
  EXPECT_EQ(out.values<float>()[3], 128.0f);
}
