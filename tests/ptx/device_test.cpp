// Tests the interpreter of PTX as a device of the runtime. A program consists of a PTX text and a description of its
// kernels; if the two do not match, loading must fail. Kernels of a module share its variables.

#include "heddle/InterpretedDevice.h"

#include "heddle/device.h"

#include <gtest/gtest.h>

#include <string>

namespace {

const std::string head = ".version 8.0 .target sm_80 .address_size 64\n";

/// Loads a PTX text and calls its kernels, each with one workgroup. The kernels share a buffer of 256 bytes.
class PtxDevice : public testing::Test {
protected:
  heddle_device *device = heddle::openInterpretedDevice("cuda-interpreted");
  heddle_memory *memory = nullptr;
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr;

  void SetUp() override { ASSERT_EQ(device->allocate(device->self, 256, &memory), HEDDLE_OK); }
  void TearDown() override {
    device->forget(device->self, launches);
    device->unload(device->self, code);
    device->release(device->self, memory);
    heddle_device_close(device);
  }

  /// Loads a text whose kernels are described by `kernels`.
  heddle_status load(const std::string &text, const std::vector<heddle_kernel> &kernels) {
    heddle_program program = {"ptx", text.data(), text.size(), kernels.size(), kernels.data(), 0};
    return device->load(device->self, &program, &code);
  }
  std::string error() { return device->error(device->self); }
  /// Runs the kernels with the indices `order` one after the other, and returns the first word of their common buffer.
  uint32_t run(const std::vector<uint64_t> &order) {
    heddle_view views[] = {{0, 0, 256}, {0, 0, 256}}; // Kernels have at most two buffers; both are the common buffer.
    std::vector<heddle_launch> list;
    for (uint64_t kernel : order)
      list.push_back({kernel, {1, 1, 1}, views, nullptr});
    EXPECT_EQ(device->record(device->self, code, &memory, 1, list.data(), list.size(), 4, &launches), HEDDLE_OK);
    uint32_t word = 99;
    heddle_copy out = {&word, 0, 0, 4, nullptr, 0};
    EXPECT_EQ(device->replay(device->self, launches, nullptr, 0, &out, 1), HEDDLE_OK) << error();
    return word;
  }
};

} // namespace

TEST_F(PtxDevice, KernelsOfAModuleShareItsVariables) {
  // `count` has no initializer, so its initial value is 0.
  const std::string text = head + ".global .u32 count; .global .u32 step = 5;\n"
                                  ".entry add(.param .u64 p) { .reg .b32 %r<3>; ld.global.u32 %r1, [count]; "
                                  "ld.global.u32 %r2, [step]; add.u32 %r1, %r1, %r2; st.global.u32 [count], %r1; ret; }\n"
                                  ".entry get(.param .u64 p, .param .u64 q) { .reg .b32 %r<2>; .reg .b64 %rd<2>; "
                                  "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [count]; st.global.u32 [%rd1], %r1; ret; }";
  ASSERT_EQ(load(text, {{"add", 1, {1, 1, 1}, 0, 0, 0}, {"get", 2, {1, 1, 1}, 0, 0, 0}}), HEDDLE_OK) << error();
  EXPECT_EQ(run({0, 1}), 5u);
}

TEST_F(PtxDevice, TheTextMustAllowTheWorkgroup) {
  const std::string exact = head + ".entry k(.param .u64 p) .reqntid 32, 2 { ret; }",
                    maximum = head + ".entry k(.param .u64 p) .maxntid 64 { ret; }";
  EXPECT_EQ(load(exact, {{"k", 1, {64, 1, 1}, 0, 0, 0}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "k: the PTX requires workgroups of 32x2x1 threads, found 64x1x1");
  EXPECT_EQ(load(maximum, {{"k", 1, {65, 1, 1}, 0, 0, 0}}), HEDDLE_UNSUPPORTED_DEVICE);
  EXPECT_EQ(error(), "k: a workgroup has 65 threads, but the PTX allows at most 64");
  EXPECT_EQ(load(maximum, {{"k", 1, {32, 2, 1}, 0, 0, 0}}), HEDDLE_OK);
}

TEST_F(PtxDevice, InvalidPtxIsADeviceError) {
  EXPECT_EQ(load(head + ".entry k(.param .u64 p) {\nno.such.instruction;\n}", {{"k", 1, {1, 1, 1}, 0, 0, 0}}),
            HEDDLE_DEVICE_ERROR);
  EXPECT_EQ(error(), "k, line 3: unknown instruction: no.such.instruction");
  EXPECT_EQ(load(head + ".entry k(.param .u64 p) {", {{"k", 1, {1, 1, 1}, 0, 0, 0}}), HEDDLE_DEVICE_ERROR);
  EXPECT_EQ(error(), "line 2: unexpected end of the text in kernel k");
}

TEST_F(PtxDevice, TheTextMustMatchItsDescription) {
  const std::string text = head + ".entry k(.param .u64 p) { ret; }";
  EXPECT_EQ(load(text, {{"other", 1, {1, 1, 1}, 0, 0, 0}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "the PTX has no kernel named other");
  EXPECT_EQ(load(text, {{"k", 2, {1, 1, 1}, 0, 0, 0}}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "k: the number of parameters in the PTX is 1, but the number of buffers is 2");
}
