//===- sharing_test.cpp - memory that other code uses, too ----------------===//
//
// Devices share memory with other code by address (heddle_device::wrap and
// address), or refuse to do so. The tests of CUDA's streams, contexts and
// lifetimes are in cuda_sharing_test.cpp.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(Sharing);

TEST_P(Sharing, WrapsAnAddressOrRefuses) {
  heddle_memory *memory = memoryOf(numbered(64)), *wrapped = nullptr;
  uint64_t address = 1, stream = 1;
  heddle_status status = device->address(device->self, memory, &address);
  if (GetParam().name.find("cuda:") != 0) {
    for (heddle_status each : {status, device->wrap(device->self, 4096, 16, &wrapped),
                               device->stream(device->self, &stream), device->wait(device->self, 0)}) {
      EXPECT_EQ(each, HEDDLE_UNSUPPORTED_DEVICE);
      EXPECT_EQ(error(), GetParam().name + " cannot share memory with other code; only CUDA devices can");
    }
    EXPECT_EQ(address, 0u);
    EXPECT_EQ(stream, 0u);
    EXPECT_EQ(wrapped, nullptr);
    return;
  }
  ASSERT_EQ(status, HEDDLE_OK) << error();
  ASSERT_EQ(device->wrap(device->self, address + 40, 80, &wrapped), HEDDLE_OK) << error();
  EXPECT_EQ(wordsOf(wrapped, 20), numbered(20, 10));
  std::vector<uint32_t> words = numbered(20, 100);
  EXPECT_EQ(device->upload(device->self, wrapped, 4, words.data(), 8), HEDDLE_OK);
  EXPECT_EQ(device->upload(device->self, wrapped, 4, words.data(), 80), HEDDLE_INVALID_ARGUMENT);
  device->release(device->self, wrapped); // does not free the bytes
  EXPECT_EQ(wordsOf(memory, 14), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 101, 13}));
  ASSERT_EQ(device->stream(device->self, &stream), HEDDLE_OK) << error();
  EXPECT_EQ(device->wait(device->self, stream), HEDDLE_OK) << error();
  EXPECT_EQ(device->wait(device->self, 0), HEDDLE_OK) << error();
}

TEST_P(Sharing, ChecksItsArguments) {
  heddle_memory *memory = allocate(16), *wrapped = nullptr;
  uint64_t address = 0;
  EXPECT_EQ(device->address(device->self, nullptr, &address), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "the memory does not belong to this device");
  EXPECT_EQ(device->address(device->self, memory, nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->stream(device->self, nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->wrap(device->self, 4096, 0, &wrapped), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->wrap(device->self, 4096, 16, nullptr), HEDDLE_INVALID_ARGUMENT);
}
