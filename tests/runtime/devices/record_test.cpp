//===- record_test.cpp - checks of recorded launches ----------------------===//
//
// record() prepares a list of launches, each a kernel with its workgroups and
// views (ranges of memories), for later replays. It must refuse wrong launches
// with a message, because a kernel accesses memory without checks.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

class Record : public DeviceTest {
protected:
  heddle_code *code = nullptr;
  std::vector<heddle_memory *> memories;

  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    code = loadArithmetic();
    memories = {memoryOf(numbered(256)), memoryOf(numbered(128))};
  }
  // Records one launch of a kernel, which uses `view` for each of its buffers. Expects this status and returns the
  // message.
  std::string refusal(heddle_status expected, uint64_t kernel, std::array<uint64_t, 3> groups, heddle_view view) {
    heddle_view views[] = {view, view, view};
    heddle_launch launch = {kernel, {groups[0], groups[1], groups[2]}, views, nullptr};
    heddle_launches *recorded = nullptr;
    EXPECT_EQ(device->record(device->self, code, memories.data(), memories.size(), &launch, 1, 0, &recorded), expected);
    EXPECT_EQ(recorded, nullptr);
    return error();
  }
};
INSTANTIATE_TEST_SUITE_P(, Record, testing::ValuesIn(testedDevices()), labelOf);

TEST_P(Record, NoLaunches) { EXPECT_EQ(replay(record(code, {}, {})), HEDDLE_OK) << error(); }

TEST_P(Record, MissingArgumentsAreRefused) {
  heddle_view view = {0, 0, 1024};
  heddle_launch launch = {AddOne, {4, 1, 1}, &view, nullptr};
  heddle_launches *recorded = nullptr;
  auto status = [&](heddle_code *code, heddle_memory *const *memories, const heddle_launch *launches,
                    heddle_launches **into) {
    return device->record(device->self, code, memories, 2, launches, 1, 0, into);
  };
  EXPECT_EQ(status(nullptr, memories.data(), &launch, &recorded), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(status(code, nullptr, &launch, &recorded), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(status(code, memories.data(), nullptr, &recorded), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(status(code, memories.data(), &launch, nullptr), HEDDLE_INVALID_ARGUMENT);
  heddle_memory *open[] = {memories[0], nullptr}; // no launch uses the missing memory
  ASSERT_EQ(status(code, open, &launch, &recorded), HEDDLE_OK) << error();
  EXPECT_EQ(replay(recorded), HEDDLE_OK) << error();
  device->forget(device->self, recorded);
  launch.views = nullptr;
  EXPECT_EQ(status(code, memories.data(), &launch, &recorded), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "launch 0: the pointer to its views is NULL");
}

TEST_P(Record, UnknownKernelsAreRefused) {
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, 3, {1, 1, 1}, {0, 0, 4}), "launch 0: there is no kernel 3");
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, UINT64_MAX, {1, 1, 1}, {0, 0, 4}).find("launch 0: there is no kernel"),
            0u);
}

TEST_P(Record, CountsOfWorkgroups) {
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 0, 1}, {0, 0, 4}),
            "launch 0: the number of its workgroups is 0");
  for (int i = 0; i < 3; ++i) {
    std::array<uint64_t, 3> groups = {1, 1, 1};
    groups[i] = device->limits->workgroup_count[i] + 1;
    std::string words = refusal(HEDDLE_UNSUPPORTED_DEVICE, AddOne, groups, {0, 0, 4});
    EXPECT_NE(words.find("workgroups in dimension " + std::to_string(i)), std::string::npos) << words;
  }
}

TEST_P(Record, CountsOutsideMemories) {
  heddle_view view = {0, 0, 4};
  auto refusalOf = [&](heddle_view counts) {
    heddle_launch launch = {AddOne, {1, 1, 1}, &view, &counts};
    heddle_launches *recorded = nullptr;
    EXPECT_EQ(device->record(device->self, code, memories.data(), memories.size(), &launch, 1, 0, &recorded),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(recorded, nullptr);
    return error();
  };
  EXPECT_EQ(refusalOf({2, 0, 12}), "launch 0, counts: the index of their memory is out of range");
  EXPECT_EQ(refusalOf({1, 2, 12}), "launch 0, counts: expected 12 bytes at a multiple of 4");
  EXPECT_EQ(refusalOf({1, 0, 8}), "launch 0, counts: expected 12 bytes at a multiple of 4");
  EXPECT_EQ(refusalOf({1, 504, 12}), "launch 0, counts: they lie outside their memory");
}

TEST_P(Record, ViewsOutsideMemories) {
  const char *outside = "launch 0, buffer 0: it lies outside its memory";
  uint64_t step = device->limits->alignment;
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {2, 0, 4}),
            "launch 0, buffer 0: the index of its memory is out of range");
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {0, 0, 1025}), outside);
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {1, 512 - step, step + 1}), outside);
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {1, 1024, 4}), outside);
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {0, 0 - step, 2 * step}), outside);
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, AddOne, {1, 1, 1}, {0, 0, 0}), "launch 0, buffer 0: its size is 0");
}

TEST_P(Record, ViewsThatAreNotAligned) {
  if (device->limits->alignment == 1)
    GTEST_SKIP() << "every offset is aligned";
  EXPECT_EQ(refusal(HEDDLE_INVALID_ARGUMENT, Sum, {1, 1, 1}, {0, device->limits->alignment + 1, 4}),
            "launch 0, buffer 0: its offset is not a multiple of the device's alignment");
}

TEST_P(Record, ViewsThatAreTooLarge) {
  uint64_t size = device->limits->view_size + 1;
  if (size > device->limits->memory_size / 2)
    GTEST_SKIP() << "a view can be as large as any memory of this device";
  memories[1] = allocate(size);
  EXPECT_EQ(refusal(HEDDLE_UNSUPPORTED_DEVICE, AddOne, {1, 1, 1}, {1, 0, size}),
            "launch 0, buffer 0: " + std::to_string(size) + " bytes, but a kernel on " + device->name +
                " can access at most " + std::to_string(size - 1));
}

TEST_P(Record, MoreStagingThanMemoryIsRefused) {
  heddle_launches *recorded = nullptr;
  for (uint64_t staging : {device->limits->memory_size + 1, UINT64_MAX}) {
    EXPECT_EQ(device->record(device->self, code, nullptr, 0, nullptr, 0, staging, &recorded),
              HEDDLE_UNSUPPORTED_DEVICE);
    EXPECT_EQ(recorded, nullptr);
    EXPECT_NE(error().find(" for one memory"), std::string::npos) << error();
  }
}

TEST_P(Record, TheErrorNamesTheLaunch) {
  heddle_view good = {0, 0, 256}, views[] = {{0, 0, 4}, {1, 0, 4}, {1, 0, 513}};
  std::vector<heddle_launch> launches = {{AddOne, {1, 1, 1}, &good, nullptr}, {Sum, {1, 1, 1}, views, nullptr}};
  heddle_launches *recorded = nullptr;
  EXPECT_EQ(device->record(device->self, code, memories.data(), 2, launches.data(), 2, 0, &recorded),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "launch 1, buffer 2: it lies outside its memory");
}

// Code, memories and launches of one device are passed to another device of the same kind.
TEST_P(Record, DevicesAreNotMixed) {
  char byte = 0;
  std::string reason;
  heddle_device *other = GetParam().open(reason);
  ASSERT_TRUE(other) << reason;
  heddle_launches *recorded = nullptr;
  EXPECT_EQ(other->record(other->self, code, memories.data(), 2, nullptr, 0, 0, &recorded), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(other->error(other->self), "the code was loaded on another device");
  EXPECT_EQ(other->upload(other->self, memories[0], 0, &byte, 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(other->replay(other->self, record(code, {}, {}), nullptr, 0, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
  heddle_device_close(other);
}
