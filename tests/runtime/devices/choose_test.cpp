//===- choose_test.cpp - choice of devices and memory types ---------------===//
//
// Tests functions of the runtime that need no Vulkan device: the choice of a
// device by the text after "vulkan:", and the choice of Vulkan's memory types
// for device memory and for staging memory.
//
//===----------------------------------------------------------------------===//

#include "devices/vulkan/facts.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

// The name, the UUID and the rank of each device. The lowest rank is the most capable kind of device.
constexpr Candidate candidates[] = {
    {"llvmpipe (LLVM 15.0.6, 256 bits)", "6d657361-3232-2e33-2e36-000000000000", 3},
    {"Intel(R) Iris(R) Xe", "8680a09a-0000-0000-0000-000000000000", 1},
    {"NVIDIA GeForce RTX 4090", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeee1", 0},
    {"NVIDIA GeForce RTX 4090", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeee2", 0},
};
// Returns the index of the chosen device among the first `count` candidates, or -1 if the choice is an error.
int64_t chosen(const char *which, uint32_t count = 4) { return choose("vulkan", candidates, count, which); }

TEST(Choose, TheMostCapable) {
  EXPECT_EQ(chosen(nullptr), 2);
  EXPECT_EQ(chosen(nullptr, 2), 1);
  EXPECT_EQ(chosen(nullptr, 1), 0);
}

TEST(Choose, ByNumber) {
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(chosen(std::to_string(i).c_str()), i);
  EXPECT_EQ(chosen("4"), -1) << "several names contain a 4";
  EXPECT_EQ(chosen("-1"), -1);
  EXPECT_EQ(chosen("+1"), -1);
  EXPECT_EQ(chosen("99999999999999999999999"), -1);
}

TEST(Choose, ByPartOfTheName) {
  EXPECT_EQ(chosen("llvmpipe"), 0);
  EXPECT_EQ(chosen("IRIS"), 1);
  EXPECT_EQ(chosen("4090", 3), 2);
}

TEST(Choose, ByUuid) {
  EXPECT_EQ(chosen("aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeee2"), 3);
  EXPECT_EQ(chosen("AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEE1"), 2);
  EXPECT_EQ(chosen("GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeee2"), 3) << "the form that nvidia-smi prints";
  EXPECT_EQ(chosen("aaaaaaaa"), -1) << "only a whole UUID is accepted";
}

TEST(Choose, ErrorsListTheDevices) {
  EXPECT_EQ(chosen("geforce"), -1);
  EXPECT_EQ(std::string(lastError()).find("several devices match vulkan:geforce (0 is llvmpipe"), 0u) << lastError();
  EXPECT_EQ(chosen("Voodoo", 2), -1);
  EXPECT_STREQ(lastError(),
               "no device matches vulkan:Voodoo (0 is llvmpipe (LLVM 15.0.6, 256 bits), 1 is Intel(R) Iris(R) Xe)");
  EXPECT_EQ(chosen(""), -1);
}

constexpr VkMemoryPropertyFlags device = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                lazy = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
constexpr uint64_t MiB = 1 << 20;

// The memory types that are chosen for a device. `list` contains the properties and the heap index of each memory type
// of the device, `heaps` the size of each heap, and `allowed` has bit i set if buffers may use memory type i.
struct Memory {
  VkPhysicalDeviceMemoryProperties properties = {};
  MemoryTypes types = {}; // the result
  heddle_status status;

  Memory(std::vector<VkMemoryType> list, std::vector<uint64_t> heaps, uint32_t allowed = ~0u) {
    properties.memoryTypeCount = uint32_t(list.size());
    std::copy(list.begin(), list.end(), properties.memoryTypes);
    for (uint64_t size : heaps)
      properties.memoryHeaps[properties.memoryHeapCount++].size = size;
    status = chooseMemoryTypes(properties, allowed, types);
  }
};

// The host can access all memory of the device, so copies need no staging memory (`direct`).
TEST(ChooseMemory, SharedWithTheHost) {
  Memory one({{device | host | cached, 0}}, {2048 * MiB});
  EXPECT_EQ(one.status, HEDDLE_OK);
  EXPECT_TRUE(one.types.direct);
  EXPECT_EQ(one.types.size, 2048 * MiB);
  Memory integrated({{device, 0}, {device | host, 0}, {device | host | cached, 0}}, {8192 * MiB});
  EXPECT_TRUE(integrated.types.direct);
  EXPECT_EQ(integrated.types.device, 2u);
  EXPECT_TRUE(integrated.types.sharedHeap);
}

// The device has memory of its own, of which the host can access all or a part (`window`). The host reads this memory
// slowly over the bus, so copies go through staging memory of the host.
TEST(ChooseMemory, OwnMemoryOfADevice) {
  for (uint64_t window : {256 * MiB, 8192 * MiB}) {
    Memory own({{0, 1}, {device, 0}, {host, 1}, {host | cached, 1}, {device | host, 2}},
               {8192 * MiB, 16384 * MiB, window});
    EXPECT_EQ(own.status, HEDDLE_OK);
    EXPECT_FALSE(own.types.direct);
    EXPECT_EQ(own.types.device, 1u);
    EXPECT_EQ(own.types.host, 3u);
    EXPECT_EQ(own.types.size, 8192 * MiB);
    EXPECT_FALSE(own.types.sharedHeap);
  }
}

TEST(ChooseMemory, OnlyTypesThatBuffersSupport) {
  Memory some({{device, 0}, {device, 1}, {host, 1}}, {8192 * MiB, 4096 * MiB}, 0b110);
  EXPECT_EQ(some.types.device, 1u);
  Memory lazily({{device | lazy, 0}, {device, 1}, {host, 1}}, {8192 * MiB, 4096 * MiB});
  EXPECT_EQ(lazily.types.device, 1u);
  for (const Memory &none : {Memory({{device, 0}}, {MiB}), Memory({{host, 0}}, {MiB}), Memory({}, {})}) {
    EXPECT_EQ(none.status, HEDDLE_UNSUPPORTED_DEVICE);
    EXPECT_STREQ(lastError(), "the device has no memory for buffers, or none that the host can access");
  }
}

} // namespace
