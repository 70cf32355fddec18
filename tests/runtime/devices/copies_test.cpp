//===- copies_test.cpp - copies to a device and back ----------------------===//
//
// upload and download must copy exactly the given bytes at any offset, and
// refuse ranges outside of a memory.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

HEDDLE_DEVICE_SUITE(CopiesOfDevice);

TEST_P(CopiesOfDevice, UploadsAreReadBackUnchanged) {
  for (size_t count : {1, 63, 64, 1000, 100000}) {
    std::vector<uint32_t> words = numbered(count, 7);
    EXPECT_EQ(wordsOf(memoryOf(words), count), words);
  }
}

// The copies are larger than a driver's staging memory, so they need several steps.
TEST_P(CopiesOfDevice, LargeCopies) {
  std::vector<uint32_t> words = numbered((20 << 20) / 4 + 3);
  EXPECT_EQ(wordsOf(memoryOf(words), words.size()), words);
}

TEST_P(CopiesOfDevice, PartsAtAnyOffset) {
  std::string text = "abcdefghijklmnopqrstuvwxyz", back(26, ' ');
  heddle_memory *memory = allocate(26);
  ASSERT_EQ(device->upload(device->self, memory, 0, text.data(), 26), HEDDLE_OK) << error();
  ASSERT_EQ(device->upload(device->self, memory, 3, "XYZ", 3), HEDDLE_OK) << error();
  ASSERT_EQ(device->download(device->self, memory, 0, &back[0], 26), HEDDLE_OK) << error();
  EXPECT_EQ(back, "abcXYZghijklmnopqrstuvwxyz");
  std::string part(5, ' ');
  ASSERT_EQ(device->download(device->self, memory, 21, &part[0], 5), HEDDLE_OK) << error();
  EXPECT_EQ(part, "vwxyz");
}

TEST_P(CopiesOfDevice, MemoriesDoNotOverlap) {
  heddle_memory *first = memoryOf(numbered(100)), *second = memoryOf(numbered(100, 1000));
  EXPECT_EQ(wordsOf(first, 100), numbered(100));
  EXPECT_EQ(wordsOf(second, 100), numbered(100, 1000));
}

TEST_P(CopiesOfDevice, EmptyCopies) {
  heddle_memory *memory = allocate(8);
  EXPECT_EQ(device->upload(device->self, memory, 8, nullptr, 0), HEDDLE_OK);
  EXPECT_EQ(device->download(device->self, memory, 0, nullptr, 0), HEDDLE_OK);
}

TEST_P(CopiesOfDevice, CopiesOutsideOfMemoriesAreRefused) {
  heddle_memory *memory = allocate(8);
  char bytes[16] = {};
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, 9}, {8, 1}, {9, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}}) {
    EXPECT_EQ(device->upload(device->self, memory, offset, bytes, size), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(device->download(device->self, memory, offset, bytes, size), HEDDLE_INVALID_ARGUMENT);
    EXPECT_NE(error().find("outside a memory of 8"), std::string::npos) << error();
  }
  EXPECT_EQ(device->upload(device->self, memory, 0, nullptr, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->download(device->self, memory, 0, nullptr, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->upload(device->self, nullptr, 0, bytes, 4), HEDDLE_INVALID_ARGUMENT);
}
