//===- reuse_test.cpp - objects that are used repeatedly ------------------===//
//
// A model loads its code once and replays its launches in each call. Code,
// memories and recordings must stay valid until they are freed, whatever other
// objects are created and freed in the meantime.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(Reuse);
HEDDLE_KERNEL_SUITE(ReuseOfKernels);

TEST_P(ReuseOfKernels, ReplayedManyTimes) {
  heddle_memory *memory = memoryOf(numbered(128));
  heddle_view view = {0, 0, 512};
  heddle_launches *launches = record(loadArithmetic(), {memory}, {{AddOne, {2, 1, 1}, &view, nullptr}});
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(replay(launches), HEDDLE_OK) << error();
  EXPECT_EQ(wordsOf(memory, 128), numbered(128, 100));
}

TEST_P(ReuseOfKernels, RecordingsOfOneCode) {
  heddle_code *code = loadArithmetic();
  heddle_memory *memory = memoryOf(numbered(64));
  heddle_view view = {0, 0, 256};
  heddle_launches *add = record(code, {memory}, {{AddOne, {1, 1, 1}, &view, nullptr}});
  heddle_launches *twice = record(code, {memory}, {{Twice, {1, 1, 1}, &view, nullptr}});
  for (heddle_launches *launches : {add, twice, add})
    ASSERT_EQ(replay(launches), HEDDLE_OK) << error();
  std::vector<uint32_t> words = wordsOf(memory, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(words[i], 2 * (i + 1) + 1);
}

// Code and memory are used by many recordings, each of which is freed before the next.
TEST_P(Reuse, OtherObjectsSurviveForgottenOnes) {
  heddle_code *code = loadArithmetic();
  heddle_memory *memory = memoryOf(numbered(64));
  heddle_view view = {0, 0, 256};
  heddle_launch launch = {AddOne, {1, 1, 1}, &view, nullptr};
  for (int i = 0; i < 50; ++i) {
    heddle_launches *recorded = nullptr;
    ASSERT_EQ(device->record(device->self, code, &memory, 1, &launch, 1, 0, &recorded), HEDDLE_OK) << error();
    ASSERT_EQ(replay(recorded), HEDDLE_OK) << error();
    device->forget(device->self, recorded);
  }
  EXPECT_EQ(wordsOf(memory, 64), numbered(64, GetParam().executes ? 50 : 0));
}

// The device does not access the arguments of load and record after these calls.
TEST_P(ReuseOfKernels, ArgumentsMayBeFreedAfterCalls) {
  heddle_code *code = nullptr;
  {
    std::string name = "add_one";
    Program program(device->format, "arithmetic", {{name.c_str(), 1, {threadsOfArithmetic, 1, 1}, 0}});
    code = load(program);
    name = "no longer";
    program.words.assign(program.words.size(), 0);
    program.kernels[0] = {};
  }
  heddle_memory *memory = memoryOf(numbered(64));
  heddle_launches *launches = nullptr;
  {
    heddle_view view = {0, 0, 256};
    std::vector<heddle_launch> recorded = {{0, {1, 1, 1}, &view, nullptr}};
    launches = record(code, {memory}, recorded);
    view = {7, 7, 7};
  }
  ASSERT_EQ(replay(launches), HEDDLE_OK) << error();
  EXPECT_EQ(wordsOf(memory, 64), numbered(64, 1));
}
