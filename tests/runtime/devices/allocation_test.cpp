//===- allocation_test.cpp - allocation of device memory ------------------===//
//
// Allocations that cannot succeed must be refused with a status for the reason,
// and released memory must be available again.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(Allocation);

TEST_P(Allocation, OddSizes) {
  for (uint64_t size : {1, 3, 4, 255, 256, 257, 100003})
    EXPECT_TRUE(allocate(size));
}

TEST_P(Allocation, AnEmptyAllocationIsRefused) {
  heddle_memory *memory = nullptr;
  EXPECT_EQ(device->allocate(device->self, 0, &memory), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(device->allocate(device->self, 4, nullptr), HEDDLE_INVALID_ARGUMENT);
}

TEST_P(Allocation, MoreThanTheLargestMemoryIsRefused) {
  heddle_memory *memory = nullptr;
  EXPECT_EQ(device->allocate(device->self, device->limits->memory_size + 1, &memory), HEDDLE_UNSUPPORTED_DEVICE);
  EXPECT_NE(error().find(std::to_string(device->limits->memory_size)), std::string::npos) << error();
  EXPECT_EQ(device->allocate(device->self, UINT64_MAX, &memory), HEDDLE_UNSUPPORTED_DEVICE);
  EXPECT_EQ(memory, nullptr);
}

// While one byte is allocated, a request for all memory of the device exceeds the remaining memory. It is refused
// without a call of the driver.
TEST_P(Allocation, MoreThanTheDeviceHasIsRefused) {
  allocate(1);
  uint64_t left = device->limits->memory, part = device->limits->memory_size;
  if (part < left)
    GTEST_SKIP() << "a single allocation cannot be as large as all memory of the device";
  heddle_memory *memory = nullptr;
  EXPECT_EQ(device->allocate(device->self, left, &memory), HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_NE(error().find("are in use"), std::string::npos) << error();
  EXPECT_EQ(memory, nullptr);
}

// Together, the allocations exceed the memory of the device (or 4 GiB), but each is released before the next.
TEST_P(Allocation, ReleasedMemoryCanBeAllocatedAgain) {
  uint64_t size = std::min<uint64_t>(device->limits->memory_size, 64 << 20);
  for (uint64_t taken = 0; taken <= 2 * std::min<uint64_t>(device->limits->memory, uint64_t(4) << 30); taken += size) {
    heddle_memory *memory = nullptr;
    ASSERT_EQ(device->allocate(device->self, size, &memory), HEDDLE_OK) << error();
    device->release(device->self, memory);
  }
}

TEST_P(Allocation, NullCanBeReleased) {
  device->release(device->self, nullptr);
  device->unload(device->self, nullptr);
  device->forget(device->self, nullptr);
}
