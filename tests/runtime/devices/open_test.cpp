//===- open_test.cpp - devices by name, and their limits ------------------===//
//
// heddle_device_open returns a table of functions and facts about the device.
// The table must be complete, and a wrong name must lead to an error text.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <thread>

HEDDLE_DEVICE_SUITE(Open);

TEST_P(Open, TheTableIsComplete) {
  EXPECT_EQ(device->size, sizeof *device);
  EXPECT_STREQ(device->format, GetParam().name.find("cuda") == 0 ? "ptx" : "spirv");
  EXPECT_STREQ(device->name, GetParam().name.c_str());
  for (const char *text : {device->description, device->driver})
    EXPECT_TRUE(text && *text);
  const heddle_device_limits &limits = *device->limits;
  EXPECT_GT(limits.memory, 0u);
  EXPECT_LE(limits.memory_size, limits.memory);
  EXPECT_EQ(limits.alignment & (limits.alignment - 1), 0u) << "a power of two";
  EXPECT_LE(limits.alignment, 256u); // the largest alignment of any device
  for (uint64_t limit : {limits.view_size, limits.buffers, limits.workgroup_memory, limits.workgroup_threads,
                         limits.subgroup_size, limits.alignment})
    EXPECT_GT(limit, 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(limits.workgroup_size[i], 0u);
    EXPECT_GE(limits.workgroup_count[i], 65535u);
  }
}

TEST_P(Open, SeveralTimesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      std::string reason;
      heddle_device *other = GetParam().open(reason);
      EXPECT_TRUE(other) << reason;
      heddle_device_close(other);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(OpenByName, TheErrorNamesUnknownDevices) {
  char error[256];
  EXPECT_EQ(heddle_device_open("abacus", error, sizeof error), nullptr);
  EXPECT_EQ(std::string(error).find("unknown kind of device: abacus (known kinds: null"), 0u) << error;
  EXPECT_EQ(heddle_device_open("", error, sizeof error), nullptr);
  EXPECT_EQ(heddle_device_open(nullptr, error, sizeof error), nullptr);
  EXPECT_EQ(heddle_device_count(nullptr, error, sizeof error), 0u);
  EXPECT_EQ(heddle_device_open("null:1", error, sizeof error), nullptr);
  EXPECT_STREQ(error, "there is no device null:1; the only device of this kind is null");
  EXPECT_EQ(heddle_device_count("nullabacus", error, sizeof error), 0u);
  EXPECT_EQ(std::string(error).find("unknown kind of device: nullabacus"), 0u) << error;
}

// heddle_device_kind lists only kinds of devices that execute kernels. The null device executes none.
TEST(OpenByName, KindsThatExecuteAreListed) {
  size_t count = 0;
  char error[256];
  for (; const char *kind = heddle_device_kind(count); ++count) {
    EXPECT_STRNE(kind, "null");
    for (size_t before = 0; before < count; ++before)
      EXPECT_STRNE(heddle_device_kind(before), kind);
    error[0] = 0;
    if (!heddle_device_count(kind, error, sizeof error)) {
      EXPECT_EQ(std::string(error).find("unknown kind of device"), std::string::npos) << error;
      EXPECT_STRNE(error, "");
    }
  }
  EXPECT_GE(count, 1u);
  EXPECT_EQ(heddle_device_kind(count), nullptr);
  EXPECT_EQ(heddle_device_kind(SIZE_MAX), nullptr);
}

TEST(OpenByName, TheReasonIsCutToItsBuffer) {
  char error[6] = "#####";
  EXPECT_EQ(heddle_device_open("abacus", error, 5), nullptr);
  EXPECT_STREQ(error, "unkn");
  EXPECT_EQ(error[5], 0);
  EXPECT_EQ(heddle_device_open("abacus", nullptr, 0), nullptr);
}

TEST(OpenByName, NullCanBeClosed) { heddle_device_close(nullptr); }
