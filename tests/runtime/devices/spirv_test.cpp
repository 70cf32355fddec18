//===- spirv_test.cpp - invalid SPIR-V programs ---------------------------===//
//
// A Vulkan driver may crash on invalid SPIR-V, so Heddle checks modules before
// it passes them to the driver. The tests change a valid module and expect an
// error. The last test checks the removal of float controls from a valid module.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "devices/spirv.h"

#include <algorithm>
#include <functional>

HEDDLE_SUITE_ON(Spirv, spirvDevices);

namespace {
// Loads the program arithmetic.spvasm after `change` has modified it, expects this status, and returns the message.
std::string refusal(heddle_device *device, heddle_status expected, const std::function<void(Program &)> &change) {
  Program program("spirv", "arithmetic", arithmeticKernels());
  change(program);
  heddle_code *code = nullptr;
  EXPECT_EQ(device->load(device->self, &program.program, &code), expected);
  EXPECT_EQ(code, nullptr);
  device->unload(device->self, code);
  return device->error(device->self);
}

// Returns the first word of an instruction: its opcode and its number of words.
constexpr uint32_t instruction(uint32_t what, uint32_t length) { return length << 16 | what; }
constexpr uint32_t capabilityAt = 5; // the first instruction of a module, OpCapability Shader
} // namespace

TEST_P(Spirv, InvalidModulesAreRefused) {
  const char *words = "the program is not SPIR-V, or not aligned to 4 bytes";
  EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [](Program &p) { p.words[0] = 0x464c457f; }), words);
  EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [](Program &p) { p.program.size = 16; }), words);
  EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [](Program &p) { p.program.size -= 1; }), words);
  EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT,
                    [](Program &p) { p.program.bytes = reinterpret_cast<char *>(p.words.data()) + 1; }),
            words);
}

// A driver may assume that a module is complete, so a truncated module must be refused before it reaches the driver.
TEST_P(Spirv, TruncatedModulesAreRefused) {
  size_t size = Program("spirv", "arithmetic", arithmeticKernels()).words.size();
  for (size_t cut = 5; cut < size; ++cut) {
    std::string words = refusal(device, HEDDLE_INVALID_ARGUMENT, [&](Program &p) { p.program.size = cut * 4; });
    EXPECT_TRUE(words.find("the SPIR-V is damaged at word ") == 0 || words.find("the SPIR-V has no kernel ") == 0 ||
                words == "the SPIR-V ends within a function, or has no function")
        << words;
  }
}

TEST_P(Spirv, InvalidLengthsOfInstructions) {
  for (uint32_t length : {0u, 0xffffu})
    EXPECT_EQ(
        refusal(device, HEDDLE_INVALID_ARGUMENT, [&](Program &p) { p.words[capabilityAt] = instruction(17, length); }),
        "the SPIR-V is damaged at word 5");
}

TEST_P(Spirv, ALaterVersion) {
  std::string words = refusal(device, HEDDLE_UNSUPPORTED_DEVICE, [](Program &p) { p.words[1] = 0x10700; });
  EXPECT_EQ(words.find(std::string("the program is SPIR-V 1.7, but ") + device->name + " supports at most 1."), 0u)
      << words;
}

TEST_P(Spirv, MissingCapabilitiesAreRefused) {
  EXPECT_EQ(refusal(device, HEDDLE_UNSUPPORTED_DEVICE, [](Program &p) { p.words[capabilityAt + 1] = 6; }),
            "the SPIR-V needs capability 6, which heddle supports on no device");
  constexpr uint32_t clustered = 67;
  if (!(device->features & HEDDLE_FEATURE_SUBGROUP_CLUSTERED)) {
    EXPECT_EQ(refusal(device, HEDDLE_UNSUPPORTED_DEVICE, [](Program &p) { p.words[capabilityAt + 1] = clustered; }),
              std::string("the SPIR-V needs a feature that ") + device->name + " lacks: subgroup-clustered");
  }
}

TEST_P(Spirv, UnknownKernelsAreRefused) {
  EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [](Program &p) { p.kernels[1].name = "thrice"; }),
            "the SPIR-V has no kernel thrice");
  for (const char *name : {"add", "add_one_more", "dd_one", "add_one add_one add_one add_one"})
    EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [&](Program &p) { p.kernels[0].name = name; }),
              std::string("the SPIR-V has no kernel ") + name);
}

TEST_P(Spirv, OtherWorkgroupSizesAreRefused) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(refusal(device, HEDDLE_INVALID_ARGUMENT, [&](Program &p) { p.kernels[2].threads[i] = 2; }),
              "sum: the number of threads in a workgroup differs from that in the SPIR-V");
}

// SPIR-V can request float controls: that a device preserves denormal numbers, or signs of zeros, infinities and NaN.
// dropFloatControls(features, ...) removes the requests that a device with these features does not support, and the
// extension of float controls if the device supports none of them. All other instructions must remain.
TEST(DropFloatControls, OtherInstructionsAreKept) {
  Program program("spirv", "special", {{"multiply", 2, {8, 1, 1}, 0}});
  heddle::SpirvModule changed = heddle::spirvOf(program.program, program.kernels[0]);
  std::unique_ptr<uint32_t[]> words;
  ASSERT_EQ(heddle::dropFloatControls(HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN, changed, words), HEDDLE_OK);
  EXPECT_EQ(std::vector<uint32_t>(words.get(), words.get() + changed.size / 4), program.words);
  changed = heddle::spirvOf(program.program, program.kernels[0]);
  ASSERT_EQ(heddle::dropFloatControls(HEDDLE_FEATURE_DENORM_PRESERVE, changed, words), HEDDLE_OK);
  EXPECT_EQ(changed.size, program.program.size - 6 * 4); // without OpCapability and OpExecutionMode, with OpExtension
  changed = heddle::spirvOf(program.program, program.kernels[0]);
  ASSERT_EQ(heddle::dropFloatControls(0, changed, words), HEDDLE_OK);
  std::vector<uint32_t> expected = program.words;
  auto erase = [&](std::vector<uint32_t> instruction) {
    auto found = std::search(expected.begin(), expected.end(), instruction.begin(), instruction.end());
    ASSERT_NE(found, expected.end());
    expected.erase(found, found + (instruction[0] >> 16));
  };
  erase({instruction(17, 2), 4466});
  erase({instruction(10, 7), 0x5f565053}); // OpExtension "SPV_..."
  uint32_t multiply = 0;                   // the id of the kernel, an operand of OpEntryPoint (15)
  for (size_t at = 5; at < expected.size(); at += expected[at] >> 16)
    if ((expected[at] & 0xffff) == 15)
      multiply = expected[at + 2];
  erase({instruction(16, 4), multiply, 4461, 32});
  EXPECT_EQ(std::vector<uint32_t>(words.get(), words.get() + changed.size / 4), expected);
}
