//===- load_test.cpp - programs and device limits -------------------------===//
//
// A program is the code of some kernels, in SPIR-V or PTX, with a description
// of each kernel. A device must refuse programs that are invalid or that exceed
// its limits, with a message, because a driver may crash on such programs.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(Load);

namespace {
// Loads a program, expects this status, and returns the message.
std::string refusal(heddle_device *device, const heddle_program *program, heddle_status expected) {
  heddle_code *code = nullptr;
  EXPECT_EQ(device->load(device->self, program, &code), expected);
  EXPECT_EQ(code, nullptr);
  return device->error(device->self);
}
} // namespace

TEST_P(Load, SeveralKernelsOfOneProgram) { EXPECT_TRUE(loadArithmetic()); }

// The bytes of a program may contain several modules. Here kernels 0 and 1 use the first module, and kernel 2 uses the
// second one.
TEST_P(Load, AModuleForEachKernel) {
  Program program(device->format, "arithmetic", arithmeticKernels());
  std::vector<uint32_t> words(program.words);
  words.insert(words.end(), program.words.begin(), program.words.end());
  for (heddle_kernel &kernel : program.kernels)
    kernel.code_size = program.program.size;
  program.kernels[2].code_offset = program.program.size;
  program.program.bytes = words.data();
  program.program.size *= 2;
  EXPECT_TRUE(load(program));
  program.kernels[2].code_offset += 4; // the code would end one word beyond the end of the program
  EXPECT_EQ(refusal(device, &program.program, HEDDLE_INVALID_ARGUMENT),
            "sum: its code lies outside the program's code");
  program.kernels[2].code_offset = UINT64_MAX - 3;
  EXPECT_EQ(refusal(device, &program.program, HEDDLE_INVALID_ARGUMENT),
            "sum: its code lies outside the program's code");
  program.kernels[2].code_offset = program.program.size / 2 - 8; // the code begins two words before the second module
  std::string told = refusal(device, &program.program, HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(told.find("the program is not "), 0u) << told;
}

// The module of the second kernel begins where the module of the first kernel begins, but has only 16 bytes. It must be
// checked although a module at the same address was checked before.
TEST_P(Load, ATruncatedModule) {
  Program program(device->format, "arithmetic", arithmeticKernels());
  program.kernels[1].code_size = 16;
  std::string told = refusal(device, &program.program, HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(told.find("the program is not "), 0u) << told;
}

TEST_P(Load, SeveralPrograms) {
  EXPECT_TRUE(loadArithmetic());
  EXPECT_TRUE(load(Program(device->format, "workgroup", {{"reverse", 1, {64, 1, 1}, 256}})));
  EXPECT_TRUE(loadArithmetic());
}

TEST_P(Load, MissingArgumentsAreRefused) {
  Program complete(device->format, "arithmetic", arithmeticKernels());
  for (int missing = 0; missing < 5; ++missing) {
    heddle_program program = complete.program;
    switch (missing) {
    case 0:
      program.format = nullptr;
      break;
    case 1:
      program.bytes = nullptr;
      break;
    case 2:
      program.size = 0;
      break;
    case 3:
      program.kernels = nullptr;
      break;
    case 4:
      program.kernel_count = 0;
      break;
    }
    EXPECT_EQ(refusal(device, &program, HEDDLE_INVALID_ARGUMENT), "the program has no format, no code or no kernels");
  }
  refusal(device, nullptr, HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->load(device->self, &complete.program, nullptr), HEDDLE_INVALID_ARGUMENT);
}

TEST_P(Load, AnotherFormatIsRefused) {
  Program program(device->format, "arithmetic", arithmeticKernels());
  program.program.format = "abacus";
  EXPECT_EQ(refusal(device, &program.program, HEDDLE_UNSUPPORTED_DEVICE),
            std::string("the format of the program is abacus, but ") + device->name + " loads only " + device->format);
}

TEST_P(Load, TheErrorNamesAMissingFeature) {
  uint64_t known = 0;
  for (unsigned bit = 0; heddle_feature_name(bit); ++bit)
    known |= uint64_t(1) << bit;
  EXPECT_EQ(device->features & ~known, 0u);
  Program later(device->format, "arithmetic", arithmeticKernels(), uint64_t(1) << 63);
  EXPECT_NE(refusal(device, &later.program, HEDDLE_UNSUPPORTED_DEVICE).find("a feature of a later version of heddle"),
            std::string::npos);
  for (unsigned bit = 0; heddle_feature_name(bit); ++bit) {
    if (device->features >> bit & 1)
      continue;
    Program program(device->format, "arithmetic", arithmeticKernels(), uint64_t(1) << bit);
    EXPECT_NE(refusal(device, &program.program, HEDDLE_UNSUPPORTED_DEVICE).find(heddle_feature_name(bit)),
              std::string::npos);
  }
}

TEST_P(Load, MoreThanTheLimitsIsRefused) {
  const heddle_device_limits &limits = *device->limits;
  struct Case {
    heddle_kernel kernel;
    const char *words;
  } cases[] = {
      {{"k", 1, {limits.workgroup_size[0] + 1, 1, 1}, 0}, "threads in one dimension"},
      {{"k", 1, {1, limits.workgroup_size[1] + 1, 1}, 0}, "threads in one dimension"},
      {{"k", 1, {1, 1, limits.workgroup_size[2] + 1}, 0}, "threads in one dimension"},
      {{"k", 1, {limits.workgroup_size[0], limits.workgroup_size[1], limits.workgroup_size[2]}, 0},
       "threads in a workgroup"},
      {{"k", 1, {1, 1, 1}, limits.workgroup_memory + 1}, "bytes of workgroup memory"},
      {{"k", limits.buffers + 1, {1, 1, 1}, 0}, "buffers"},
  };
  for (const Case &c : cases) {
    Program program(device->format, "arithmetic", {c.kernel});
    std::string words = refusal(device, &program.program, HEDDLE_UNSUPPORTED_DEVICE);
    EXPECT_EQ(words.find("k: "), 0u) << words;
    EXPECT_NE(words.find(c.words), std::string::npos) << words;
    EXPECT_NE(words.find(" at most"), std::string::npos) << words;
  }
}

TEST_P(Load, KernelsWithoutNameOrThreadsAreRefused) {
  Program unnamed(device->format, "arithmetic", {{nullptr, 1, {64, 1, 1}, 0}});
  EXPECT_EQ(refusal(device, &unnamed.program, HEDDLE_INVALID_ARGUMENT), "a kernel has no name");
  Program empty(device->format, "arithmetic", {{"add_one", 1, {64, 0, 1}, 0}});
  EXPECT_EQ(refusal(device, &empty.program, HEDDLE_INVALID_ARGUMENT), "add_one: a workgroup has no threads");
}
