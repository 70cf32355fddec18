// Before the interpreter of PTX allocates memory, it refuses texts that request too much. It also stops infinite loops.

#include "Kernels.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

const std::string header = ".version 8.0 .target sm_80 .address_size 64\n";

/// Returns the error of the parser, or "" if it accepts the text.
std::string limitErrorOf(const std::string &text) {
  auto module = parse(text);
  return module ? "" : toString(module.takeError());
}

/// Returns `part`, repeated `times` times.
std::string repeat(const std::string &part, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i)
    text += part;
  return text;
}

} // namespace

TEST(PtxLimits, Variables) {
  EXPECT_EQ(limitErrorOf(header + ".global .b8 a[99999999];"),
            "line 2: an extent is 99999999, but must be at most 67108864");
  EXPECT_EQ(limitErrorOf(header + ".global .b64 a[67108864];"),
            "line 2: variables of more than 67108864 bytes in total are not supported");
  EXPECT_EQ(limitErrorOf(header + ".global .b8 a[8192][8193];"), "line 2: variable a has more than 67108864 elements");
  EXPECT_EQ(limitErrorOf(header + ".const .b8 a[40000000];\n.global .b8 b[40000000];"),
            "line 3: variables of more than 67108864 bytes in total are not supported");
  EXPECT_EQ(limitErrorOf(header + ".entry k() { .local .b8 a[40000000];\n.local .b8 b[40000000]; ret; }"),
            "line 3: variables of more than 67108864 bytes in total are not supported");
  EXPECT_EQ(limitErrorOf(header + repeat(".global .b8 a;\n", 5000)),
            "line 4098: more than 4096 variables are not supported");
}

TEST(PtxLimits, MemoryOfAWorkgroup) {
  EXPECT_EQ(execute(kernel(0, "", ".shared .b8 a[232464];"), {}),
            "k, line 1: 232464 bytes of shared memory per workgroup; the limit is 232448");
  EXPECT_EQ(execute(kernel(0, " .local .b8 a[524289];"), {}),
            "k, line 1: 524289 bytes of local memory per thread; the limit is 524288");
  Shape shape;
  shape.sharedBytes = 1;
  EXPECT_EQ(execute(kernel(0, "", ".shared .b8 a[232448];"), {}, shape),
            "k: 232449 bytes of shared memory; the limit is 232448");
  shape = {};
  shape.threads = {1024, 1, 1};
  std::string error = execute(kernel(0, " .local .b8 a[524288];"), {}, shape);
  EXPECT_TRUE(llvm::StringRef(error).ends_with(
      "bytes of registers and local memory of 1024 threads; the limit is 268435456"))
      << error;
}

TEST(PtxLimits, SizeOfAKernel) {
  EXPECT_EQ(limitErrorOf(header + ".entry k() { " + repeat("ret;\n", 262145) + "}"),
            "line 262146: more than 262144 instructions are not supported");
  EXPECT_EQ(limitErrorOf(header + ".entry k() { .reg .b32 %r<200000>, %s<100000>; }"),
            "line 2: more than 262144 registers are not supported");
  std::string parameters = ".param .u64 p0";
  for (int i = 1; i < 513; ++i)
    parameters += ",\n.param .u64 p" + std::to_string(i);
  EXPECT_EQ(limitErrorOf(header + ".entry k(" + parameters + ") { ret; }"),
            "line 514: more than 512 parameters are not supported");
  // Each of these instructions needs memory for its unused result and for its constant.
  std::string text = header + ".entry k() {\n";
  for (unsigned i = 0; i < 140000; ++i)
    text += "mov.b64 _, " + std::to_string(i) + ";\n";
  EXPECT_EQ(execute(text + "}", {}),
            "k, line 131075: the registers and constants of a warp need more than 67108864 bytes, which is the limit");
}

TEST(PtxLimits, EndlessBarriersAreStopped) {
  Shape shape;
  shape.threads = {64, 1, 1};
  EXPECT_EQ(execute(kernel(0, "\nLOOP: bar.sync 0;\nbra.uni LOOP;"), {}, shape),
            "k, PTX line 3: bra.uni LOOP: workgroup (0,0,0), thread 0: a warp has executed 1048576 instructions, "
            "which is the limit: the kernel probably never ends");
}
