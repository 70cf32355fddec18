// The interpreter of PTX reports invalid accesses, barriers and shuffles. Each error must name the kernel, the line and
// the thread.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

/// A variable in shared memory, and code that sets %r2 to the address of the thread's word in this variable.
const char shared[] = ".shared .align 16 .b8 memory[256];";
const char address[] = "mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;";

/// Executes `body` with two buffers of 256 bytes, of which the host wrote only the first. Returns the error.
std::string misuseOf(const std::string &body, unsigned threads = 64, unsigned groups = 1) {
  Buffer written(std::vector<uint32_t>(64, 1)), fresh(256);
  Shape shape;
  shape.threads = {threads, 1, 1};
  shape.groups = {groups, 1, 1};
  return execute(kernel(2, body, shared), {&written, &fresh}, shape);
}

/// Returns the expected message of an error in kernel k and workgroup 0.
std::string in(const char *instruction, unsigned line, unsigned thread, const std::string &what) {
  return "k, PTX line " + std::to_string(line) + ": " + instruction + ": workgroup (0,0,0), thread " +
         std::to_string(thread) + ": " + what;
}

} // namespace

TEST(PtxChecks, Bounds) {
  EXPECT_EQ(misuseOf("\nld.global.b32 %r1, [%rd0+256];"),
            in("ld.global.b32 %r1, [%rd0+256]", 2, 0, "reads 4 bytes of buffer 0 at byte 256, outside its 256 bytes"));
  EXPECT_EQ(misuseOf("\nst.global.v2.b32 [%rd0+-8], {%r0, %r0};"),
            in("st.global.v2.b32 [%rd0+-8], {%r0, %r0}", 2, 0,
               "writes 8 bytes of buffer 0 at byte -8, outside its 256 bytes"));
  EXPECT_EQ(misuseOf("\nmul.wide.u32 %rd3, %r0, 8; add.u64 %rd3, %rd3, %rd0;\nld.global.b32 %r1, [%rd3];"),
            in("ld.global.b32 %r1, [%rd3]", 3, 32, "reads 4 bytes of buffer 0 at byte 256, outside its 256 bytes"));
  EXPECT_EQ(misuseOf("\nmov.u64 %rd3, 8;\nld.global.b32 %r1, [%rd3];"),
            in("ld.global.b32 %r1, [%rd3]", 3, 0, "reads 4 bytes at an address that is in no buffer: 0x8"));
  EXPECT_EQ(misuseOf("\nst.shared.b32 [memory+256], %r0;"),
            in("st.shared.b32 [memory+256], %r0", 2, 0,
               "writes 4 bytes of shared memory at byte 256, outside its 256 bytes"));
}

TEST(PtxChecks, Alignment) {
  EXPECT_EQ(misuseOf("\nld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8];"),
            in("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8]", 2, 0,
               "reads 16 bytes at an address that is not a multiple of 16: the address ends with 0x8"));
  EXPECT_EQ(misuseOf("\nst.shared.b32 [memory+2], %r0;"),
            in("st.shared.b32 [memory+2], %r0", 2, 0,
               "writes 4 bytes at an address that is not a multiple of 4: the address ends with 0x2"));
}

// A kernel may read unfilled rows of a state, together with filled rows, if no result depends on the unfilled rows.
TEST(PtxChecks, UnfilledRowsOfAState) {
  Buffer state(256), out(256);
  state.mayBeUnfilled = true;
  auto misuseOf = [&](const std::string &body) { return execute(kernel(2, body), {&state, &out}); };
  const std::string load = "ld.global.v2.b32 {%r1, %r2}, [%rd0+16];\n", store = "st.global.b32 [%rd1], %r2;";
  const std::string one = "setp.eq.u32 %p1, %r0, 0;\n@!%p1 ret;\n";
  EXPECT_EQ(misuseOf(one + load + "setp.eq.u32 %p2, %r0, 0;\nselp.b32 %r2, 7, %r2, %p2;\n" + store), "");
  EXPECT_EQ(out.values<uint32_t>()[0], 7u);
  EXPECT_EQ(
      misuseOf(one + load + store),
      in("ld.global.v2.b32 {%r1, %r2}, [%rd0+16]", 3, 0,
         "reads 4 bytes of buffer 0, a state, at byte 20, which has not been written, and line 4 uses the value"));
  state.mayBeUnfilled = false;
  EXPECT_EQ(misuseOf(one + load + store), in("ld.global.v2.b32 {%r1, %r2}, [%rd0+16]", 3, 0,
                                             "reads 8 bytes of buffer 0 at byte 16, which has not been written"));
}

TEST(PtxChecks, ReadsBeforeWrites) {
  EXPECT_EQ(
      misuseOf("\nld.global.b32 %r1, [%rd1+16];"),
      in("ld.global.b32 %r1, [%rd1+16]", 2, 0, "reads 4 bytes of buffer 1 at byte 16, which has not been written"));
  EXPECT_EQ(misuseOf("\nld.shared.b32 %r1, [memory];\nst.global.b32 [%rd1], %r1;"),
            in("ld.shared.b32 %r1, [memory]", 2, 0,
               "reads 4 bytes of shared memory at byte 0, which has not been written, and line 3 uses the value"));
  // Values that another workgroup left in shared memory are undefined.
  EXPECT_EQ(
      misuseOf("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1; @%p1 bra READ; setp.eq.u32 %p2, %r0, 0;\n"
               "@%p2 st.shared.b32 [memory], %r0; ret;\nREAD: ld.shared.b32 %r1, [memory];\nst.global.b32 [%rd1], %r1;",
               64, 2),
      "k, PTX line 3: ld.shared.b32 %r1, [memory]: workgroup (1,0,0), thread 0: reads 4 bytes of shared memory at byte "
      "0, which has not been written, and line 4 uses the value");
}

// Kernels may read and move unwritten values as long as no result depends on them. This happens in kernels that pad
// blocks, and if a compiler loads four elements where three are used.
TEST(PtxChecks, UndefinedValues) {
  // Lanes 0 and 1 write: %r4 and %r5 are defined, %r6 and %r7 are undefined.
  const std::string four = std::string(address) +
                           "setp.lt.u32 %p1, %r0, 2; @%p1 st.shared.b32 [%r2], %r0; bar.sync 0;\n"
                           "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [memory];\n";
  const std::string out = "setp.eq.u32 %p2, %r0, 0;\n@%p2 st.global.b32 [%rd1], ";
  auto after = [&](const std::string &body) { return misuseOf(four + body, 32); };
  auto dependsOnIt = [&](unsigned line) {
    return in("ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [memory]", 2, 0,
              "reads 4 bytes of shared memory at byte 8, which has not been written, and line " + std::to_string(line) +
                  " uses the value");
  };
  EXPECT_EQ(after(out + "%r5;"), "");
  EXPECT_EQ(after(out + "%r6;"), dependsOnIt(4));
  // An operation on an undefined value has an undefined result, but only in the lanes in which the value is undefined.
  // A value that selp does not choose has no effect.
  EXPECT_EQ(after("add.u32 %r8, %r6, %r5; mul.lo.u32 %r9, %r8, 3;" + out + "%r9;"), dependsOnIt(4));
  EXPECT_EQ(after("mov.u32 %r8, 1; setp.eq.u32 %p3, %r0, 7; @%p3 mov.b32 %r8, %r6;" + out + "%r8;"), "");
  EXPECT_EQ(after("setp.eq.u32 %p3, %r0, 99; selp.b32 %r8, %r6, %r5, %p3;" + out + "%r8;"), "");
  EXPECT_EQ(after("setp.eq.u32 %p3, %r0, 0; selp.b32 %r8, %r6, %r5, %p3;" + out + "%r8;"), dependsOnIt(4));
  // The error names the load of the chosen value.
  const std::string other = "ld.shared.b32 %r9, [memory+20]; ";
  EXPECT_EQ(after(other + "setp.ne.u32 %p3, %r0, 99; selp.b32 %r8, %r6, %r9, %p3;" + out + "%r8;"), dependsOnIt(4));
  // A copy of an undefined value is undefined, and a defined value may overwrite an undefined one.
  EXPECT_EQ(after("mov.b32 %r5, %r6;" + out + "%r5;"), dependsOnIt(4));
  EXPECT_EQ(after("mov.b32 %r6, %r5;" + out + "%r6;"), "");
  EXPECT_EQ(after("setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.b32 [memory+16], %r6; bar.sync 0;\n"
                  "ld.shared.b32 %r8, [memory+16];" +
                  out + "%r8;"),
            in("ld.shared.b32 %r8, [memory+16]", 4, 0,
               "reads 4 bytes of shared memory at byte 16, which has not been written, and line 5 uses the value"));
  // Shuffles move undefined values to other lanes.
  const std::string fifth = "mov.u32 %r8, %r0; setp.eq.u32 %p3, %r0, 5; @%p3 mov.b32 %r8, %r6;";
  EXPECT_EQ(after(fifth + "shfl.sync.bfly.b32 %r9, %r8, 4, 31, -1;" + out + "%r9;"), "");
  EXPECT_EQ(after(fifth + "shfl.sync.bfly.b32 %r9, %r8, 5, 31, -1;" + out + "%r9;").substr(0, 30),
            dependsOnIt(4).substr(0, 30));
  // The predicate of a shuffle, which is whether the other lane is in range, does not depend on the moved value.
  EXPECT_EQ(after("shfl.sync.bfly.b32 %r9|%p6, %r6, 1, 31, -1;\n@%p6 bra END;\nEND:"), "");
  // Lanes that do not execute a shuffle keep the value of its result register. The result register may also be the
  // operand that contains the lane.
  EXPECT_EQ(after(fifth + "mov.u32 %r9, 1; setp.lt.u32 %p4, %r0, 16; @%p4 shfl.sync.bfly.b32 %r9, %r8, 4, 31, 0xffff; "
                          "setp.eq.u32 %p2, %r0, 20;\n@%p2 st.global.b32 [%rd1], %r9;"),
            "");
  EXPECT_EQ(after(fifth + "mov.u32 %r9, 3; shfl.sync.idx.b32 %r9, %r8, %r9, 31, -1; setp.ne.u32 %p4, %r9, 3;\n"
                          "@%p4 st.global.b32 [%rd1+256], %r9;"),
            "");
  // Addresses and branch conditions must be defined in all lanes, and so must operands of atomics. If one operand alone
  // decides the result of a logical operation, the other operand may be undefined.
  EXPECT_EQ(after("shl.b32 %r8, %r6, 2;\nld.shared.b32 %r9, [%r8];"), dependsOnIt(4));
  EXPECT_EQ(after("setp.eq.u32 %p3, %r6, 1;\n@%p3 bra END;\nEND:"), dependsOnIt(4));
  EXPECT_EQ(after("\nred.global.add.u32 [%rd0], %r6;"), dependsOnIt(4));
  const std::string two = "setp.eq.u32 %p3, %r6, 1; setp.eq.u32 %p4, %r0, 99; setp.ne.u32 %p5, %r0, 99;",
                    jump = "\n@%p6 bra END;\nEND:";
  EXPECT_EQ(after(two + "and.pred %p6, %p3, %p4;" + jump), "");
  EXPECT_EQ(after(two + "and.pred %p6, %p3, %p5;" + jump), dependsOnIt(4));
  EXPECT_EQ(after(two + "or.pred %p6, %p3, %p5;" + jump), "");
  EXPECT_EQ(after(two + "or.pred %p6, %p4, %p3;" + jump), dependsOnIt(4));
  // Undefined values in local memory are treated in the same way as in shared memory.
  Buffer result(size_t(16));
  EXPECT_EQ(execute(kernel(1, ".local .align 8 .b8 own[16];\nld.local.v2.b32 {%r1, %r2}, [own];\n"
                              "st.local.b32 [own], %r1; ld.local.b32 %r1, [own]; st.global.b32 [%rd0], %r2;"),
                    {&result}),
            in("ld.local.v2.b32 {%r1, %r2}, [own]", 2, 0,
               "reads 4 bytes of local memory at byte 4, which has not been written, and line 3 uses the value"));
}

TEST(PtxChecks, RacesInSharedMemory) {
  const std::string write = std::string(address) + "st.shared.b32 [%r2], %r0;\n";
  // Races between two warps, and between lanes of a warp.
  EXPECT_EQ(
      misuseOf(write + "xor.b32 %r3, %r2, 128;\nld.shared.b32 %r4, [%r3];"),
      "k, PTX line 1: st.shared.b32 [%r2], %r0: workgroup (0,0,0), thread 32: writes 4 bytes of shared memory at byte "
      "128, which thread 0 read: no barrier orders the two accesses");
  EXPECT_EQ(misuseOf(write + "xor.b32 %r3, %r2, 4;\nld.shared.b32 %r4, [%r3];"),
            in("ld.shared.b32 %r4, [%r3]", 3, 0,
               "reads 4 bytes of shared memory at byte 4, which thread 1 wrote: no barrier orders the two accesses"));
  EXPECT_EQ(misuseOf(write + "bar.sync 0; xor.b32 %r3, %r2, 128; ld.shared.b32 %r4, [%r3]; setp.ge.u32 %p1, %r0, 32;\n"
                             "@%p1 st.shared.b32 [%r2], %r4;"),
            in("st.shared.b32 [%r2], %r4", 3, 32,
               "writes 4 bytes of shared memory at byte 128, which thread 0 read: no barrier orders the two accesses"));
  EXPECT_EQ(misuseOf("\nst.shared.b32 [memory], %r0;"),
            in("st.shared.b32 [memory], %r0", 2, 1,
               "writes 4 bytes of shared memory at byte 0, which thread 0 wrote: no barrier orders the two accesses"));
  // With a barrier of the workgroup, or of the warp, there is no race.
  EXPECT_EQ(
      misuseOf(write +
               "bar.sync 0; xor.b32 %r3, %r2, 128; ld.shared.b32 %r4, [%r3]; bar.sync 0; st.shared.b32 [%r2], %r4;"),
      "");
  EXPECT_EQ(misuseOf(write + "bar.warp.sync -1; xor.b32 %r3, %r2, 4; ld.shared.b32 %r4, [%r3];"), "");
  // Accesses to different bytes of a word do not race.
  EXPECT_EQ(misuseOf("mov.u32 %r1, memory; add.u32 %r2, %r1, %r0; st.shared.b8 [%r2], %r0; ld.shared.u8 %r3, [%r2];"),
            "");
}

TEST(PtxChecks, RacesAmongWorkgroups) {
  EXPECT_EQ(misuseOf("setp.eq.u32 %p1, %r0, 3;\n@%p1 st.global.b32 [%rd1], %r0;", 64, 2),
            "k, PTX line 2: st.global.b32 [%rd1], %r0: workgroup (1,0,0), thread 3: writes 4 bytes of buffer 1 at byte "
            "0, which a "
            "thread of another workgroup wrote: no barrier orders the two accesses");
  EXPECT_EQ(misuseOf("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 1; setp.eq.and.u32 %p1, %r0, 3, %p1; "
                     "ld.global.b32 %r2, [%rd0];\n@%p1 st.global.b32 [%rd0], %r0;",
                     64, 2),
            "k, PTX line 2: st.global.b32 [%rd0], %r0: workgroup (1,0,0), thread 3: writes 4 bytes of buffer 0 at byte "
            "0, which a "
            "thread of another workgroup read: no barrier orders the two accesses");
  EXPECT_EQ(misuseOf("red.global.add.u32 [%rd0], 1;\nld.global.b32 %r2, [%rd0];", 1, 2),
            "k, PTX line 1: red.global.add.u32 [%rd0], 1: workgroup (1,0,0), thread 0: updates 4 bytes of buffer 0 at "
            "byte 0, which "
            "a thread of another workgroup read: no barrier orders the two accesses");
}

TEST(PtxChecks, DivergentBarriers) {
  EXPECT_EQ(
      misuseOf("setp.lt.u32 %p1, %r0, 16; @%p1 bra AT; bra.uni BEHIND;\nAT: bar.sync 0;\nBEHIND: add.u32 %r1, %r0, 1;"),
      in("bar.sync 0", 2, 0, "the barrier is divergent: other lanes of this warp do not reach it"));
  EXPECT_EQ(misuseOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 bar.sync 0;"),
            in("bar.sync 0", 2, 0, "the barrier is divergent: its predicate is true in some lanes of this warp only"));
  EXPECT_EQ(misuseOf("setp.lt.u32 %p1, %r0, 32; @%p1 bra ONE;\nbar.sync 0; ret;\nONE: bar.sync 0;"),
            in("bar.sync 0", 2, 32, "the barrier is divergent: thread 0 waits at the barrier of line 3"));
}

TEST(PtxChecks, ShufflesWithoutAllLanes) {
  EXPECT_EQ(misuseOf("\nshfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;"),
            in("shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff", 2, 0,
               "lane 16 executes the instruction, but is not in the mask"));
  EXPECT_EQ(misuseOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"),
            in("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1", 2, 0,
               "lane 16 is in the mask, but does not execute the instruction"));
  EXPECT_EQ(misuseOf("setp.lt.u32 %p1, %r0, 16;\n@%p1 shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;", 16),
            in("shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff", 2, 0,
               "the instruction reads the value of lane 16, which does not execute the instruction"));
  EXPECT_EQ(misuseOf("\nvote.sync.all.pred %p1, %p2, 1;"),
            in("vote.sync.all.pred %p1, %p2, 1", 2, 0, "lane 1 executes the instruction, but is not in the mask"));
}

TEST(PtxChecks, InfiniteLoopsAreStopped) {
  EXPECT_EQ(misuseOf("\nLOOP: bra.uni LOOP;", 32),
            in("bra.uni LOOP", 2, 0,
               "a warp has executed 1048576 instructions, which is the limit: the kernel "
               "probably never ends"));
}

TEST(PtxChecks, EachParameterNeedsABuffer) {
  Buffer one(16);
  EXPECT_EQ(execute(kernel(2, ""), {&one}),
            "k: the kernel's number of parameters is 2, but the launch's number of buffers is 1");
}

// A comment in the PTX text names the operation of the model that the kernel computes. Errors must contain this name.
TEST(PtxChecks, ErrorsNameTheOperation) {
  std::string text = kernel(1, "\nld.global.b32 %r1, [%rd0+4];");
  text.insert(text.find(".visible"), "\n// heddle k: softmax \"/encoder/Softmax\"\n");
  Buffer buffer(std::vector<uint32_t>{1});
  EXPECT_EQ(execute(text, {&buffer}),
            "k (softmax \"/encoder/Softmax\"), PTX line 4: ld.global.b32 %r1, [%rd0+4]: workgroup (0,0,0), thread 0: "
            "reads 4 bytes of buffer 0 at byte 4, outside its 4 bytes");
}
