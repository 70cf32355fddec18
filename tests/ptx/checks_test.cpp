// What is wrong with an access, a barrier or a shuffle is said, with the kernel, the line and the thread.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

const char shared[] = ".shared .align 16 .b8 memory[256];";
const char address[] = "mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;";

/// What a body does wrong with one buffer of 256 bytes that the host wrote, and one that nobody did.
std::string errorOf(const std::string &body, unsigned threads = 64, unsigned groups = 1) {
  Buffer written(std::vector<uint32_t>(64, 1)), fresh(256);
  Shape shape;
  shape.threads = {threads, 1, 1};
  shape.groups = {groups, 1, 1};
  return execute(kernel(2, body, shared), {&written, &fresh}, shape);
}

std::string in(const char *instruction, unsigned line, unsigned thread, const std::string &what) {
  return "k, line " + std::to_string(line) + ": " + instruction + ": workgroup (0,0,0), thread " +
         std::to_string(thread) + ": " + what;
}

} // namespace

TEST(PtxChecks, Bounds) {
  EXPECT_EQ(errorOf("\nld.global.b32 %r1, [%rd0+256];"),
            in("ld.global.b32 %r1, [%rd0+256]", 2, 0, "reads 4 bytes of buffer 0 at byte 256, which has 256"));
  EXPECT_EQ(errorOf("\nst.global.v2.b32 [%rd0+-8], {%r0, %r0};"),
            in("st.global.v2.b32 [%rd0+-8], {%r0, %r0}", 2, 0, "writes 8 bytes of buffer 0 at byte -8, which has 256"));
  EXPECT_EQ(errorOf("\nmul.wide.u32 %rd3, %r0, 8; add.u64 %rd3, %rd3, %rd0;\nld.global.b32 %r1, [%rd3];"),
            in("ld.global.b32 %r1, [%rd3]", 3, 32, "reads 4 bytes of buffer 0 at byte 256, which has 256"));
  EXPECT_EQ(errorOf("\nmov.u64 %rd3, 8;\nld.global.b32 %r1, [%rd3];"),
            in("ld.global.b32 %r1, [%rd3]", 3, 0, "reads 4 bytes at an address that is in no buffer: 0x8"));
  EXPECT_EQ(errorOf("\nst.shared.b32 [memory+256], %r0;"),
            in("st.shared.b32 [memory+256], %r0", 2, 0, "writes 4 bytes of shared memory at byte 256, which has 256"));
}

TEST(PtxChecks, Alignment) {
  EXPECT_EQ(errorOf("\nld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8];"),
            in("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8]", 2, 0,
               "reads 16 bytes at an address that is no multiple: ...8"));
  EXPECT_EQ(errorOf("\nst.shared.b32 [memory+2], %r0;"),
            in("st.shared.b32 [memory+2], %r0", 2, 0, "writes 4 bytes at an address that is no multiple: ...2"));
}

TEST(PtxChecks, ReadsBeforeWrites) {
  EXPECT_EQ(errorOf("\nld.global.b32 %r1, [%rd1+16];"),
            in("ld.global.b32 %r1, [%rd1+16]", 2, 0, "reads 4 bytes of buffer 1 at byte 16, which nobody wrote"));
  EXPECT_EQ(errorOf("\nld.shared.b32 %r1, [memory];"),
            in("ld.shared.b32 %r1, [memory]", 2, 0, "reads 4 bytes of shared memory at byte 0, which nobody wrote"));
  // What another workgroup left there is nothing.
  EXPECT_EQ(
      errorOf("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1; @%p1 bra READ; setp.eq.u32 %p2, %r0, 0;\n"
              "@%p2 st.shared.b32 [memory], %r0; ret;\nREAD: ld.shared.b32 %r1, [memory];",
              64, 2),
      "k, line 3: ld.shared.b32 %r1, [memory]: workgroup (1,0,0), thread 0: reads 4 bytes of shared memory at byte "
      "0, which nobody wrote");
}

TEST(PtxChecks, RacesInSharedMemory) {
  const std::string write = std::string(address) + "st.shared.b32 [%r2], %r0;\n";
  // Of two warps, and of lanes of one.
  EXPECT_EQ(errorOf(write + "xor.b32 %r3, %r2, 128;\nld.shared.b32 %r4, [%r3];"),
            in("ld.shared.b32 %r4, [%r3]", 3, 0, "reads 4 bytes of shared memory at byte 128, which nobody wrote"));
  EXPECT_EQ(errorOf(write + "xor.b32 %r3, %r2, 4;\nld.shared.b32 %r4, [%r3];"),
            in("ld.shared.b32 %r4, [%r3]", 3, 0,
               "reads 4 bytes of shared memory at byte 4, as thread 1 wrote it: nothing orders the two"));
  EXPECT_EQ(errorOf(write + "bar.sync 0; xor.b32 %r3, %r2, 128; ld.shared.b32 %r4, [%r3]; setp.ge.u32 %p1, %r0, 32;\n"
                            "@%p1 st.shared.b32 [%r2], %r4;"),
            in("st.shared.b32 [%r2], %r4", 3, 32,
               "writes 4 bytes of shared memory at byte 128, as thread 0 read it: nothing orders the two"));
  EXPECT_EQ(errorOf("\nst.shared.b32 [memory], %r0;"),
            in("st.shared.b32 [memory], %r0", 2, 1,
               "writes 4 bytes of shared memory at byte 0, as thread 0 wrote it: nothing orders the two"));
  // With a barrier, or one of the warp, it is right.
  EXPECT_EQ(
      errorOf(write +
              "bar.sync 0; xor.b32 %r3, %r2, 128; ld.shared.b32 %r4, [%r3]; bar.sync 0; st.shared.b32 [%r2], %r4;"),
      "");
  EXPECT_EQ(errorOf(write + "bar.warp.sync -1; xor.b32 %r3, %r2, 4; ld.shared.b32 %r4, [%r3];"), "");
  // Neighbours in one word of four bytes are none of each other's business.
  EXPECT_EQ(errorOf("mov.u32 %r1, memory; add.u32 %r2, %r1, %r0; st.shared.b8 [%r2], %r0; ld.shared.u8 %r3, [%r2];"),
            "");
}

TEST(PtxChecks, RacesAmongWorkgroups) {
  EXPECT_EQ(
      errorOf("setp.eq.u32 %p1, %r0, 3;\n@%p1 st.global.b32 [%rd1], %r0;", 64, 2),
      "k, line 2: st.global.b32 [%rd1], %r0: workgroup (1,0,0), thread 3: writes 4 bytes of buffer 1 at byte 0, as a "
      "thread of another workgroup wrote it: nothing orders the two");
  EXPECT_EQ(
      errorOf("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1; setp.eq.and.u32 %p1, %r0, 3, %p1; "
              "ld.global.b32 %r2, [%rd0];\n@%p1 st.global.b32 [%rd0], %r0;",
              64, 2),
      "k, line 2: st.global.b32 [%rd0], %r0: workgroup (1,0,0), thread 3: writes 4 bytes of buffer 0 at byte 0, as a "
      "thread of another workgroup read it: nothing orders the two");
  EXPECT_EQ(
      errorOf("red.global.add.u32 [%rd0], 1;\nld.global.b32 %r2, [%rd0];", 1, 2),
      "k, line 1: red.global.add.u32 [%rd0], 1: workgroup (1,0,0), thread 0: updates 4 bytes of buffer 0 at byte 0, as "
      "a thread of another workgroup read it: nothing orders the two");
}

TEST(PtxChecks, DivergentBarriers) {
  EXPECT_EQ(
      errorOf("setp.lt.u32 %p1, %r0, 16; @%p1 bra AT; bra.uni BEHIND;\nAT: bar.sync 0;\nBEHIND: add.u32 %r1, %r0, 1;"),
      in("bar.sync 0", 2, 0, "the barrier is divergent: other lanes of this warp do not come to it"));
  EXPECT_EQ(errorOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 bar.sync 0;"),
            in("bar.sync 0", 2, 0, "the barrier is divergent: its predicate is true in some lanes of this warp only"));
  EXPECT_EQ(errorOf("setp.lt.u32 %p1, %r0, 32; @%p1 bra ONE;\nbar.sync 0; ret;\nONE: bar.sync 0;"),
            in("bar.sync 0", 2, 32, "the barrier is divergent: thread 0 waits at that of line 3"));
}

TEST(PtxChecks, ShufflesWithoutAllLanes) {
  EXPECT_EQ(errorOf("\nshfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;"),
            in("shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff", 2, 0,
               "it is executed by lane 16, which its mask does not name"));
  EXPECT_EQ(errorOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"),
            in("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1", 2, 0, "its mask names lane 16, which does not execute it"));
  EXPECT_EQ(errorOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;", 16),
            in("shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff", 2, 0,
               "it takes the value of lane 16, which does not execute it"));
  EXPECT_EQ(errorOf("\nvote.sync.all.pred %p1, %p2, 1;"),
            in("vote.sync.all.pred %p1, %p2, 1", 2, 0, "it is executed by lane 1, which its mask does not name"));
}

TEST(PtxChecks, KernelsWithoutAnEnd) {
  EXPECT_EQ(errorOf("\nLOOP: bra.uni LOOP;", 32),
            in("bra.uni LOOP", 2, 0, "a warp has executed 1048576 instructions: it has no end"));
}

TEST(PtxChecks, BuffersAreAsManyAsParameters) {
  Buffer one(16);
  EXPECT_EQ(execute(kernel(2, ""), {&one}), "k: 2 buffers are its parameters, and 1 are passed");
}
