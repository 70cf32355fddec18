// facts.h - what a physical device can do, read before anything is made on it.
#ifndef HEDDLE_DEVICES_VULKAN_FACTS_H
#define HEDDLE_DEVICES_VULKAN_FACTS_H

#include "instance.h"

namespace heddle {

struct VulkanFacts {
  heddle_device_limits limits; // but `memory` and `memory_size` are those of the device's own choice: see MemoryTypes
  uint64_t features;           // enum heddle_device_features
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  // Name and version.
  char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
  uint32_t spirv;          // the latest version of SPIR-V that it takes: 0x10300
  uint32_t queueFamily;    // that computes
  uint64_t allocationSize; // of one allocation at most
  uint32_t timerBits;      // of that queue's timers, 0: it has none
  double timerPeriod;      // seconds
  uint32_t vendor, device; // whose caches it takes, and
  uint8_t cacheId[VK_UUID_SIZE];
  // Extensions that what it can do needs, and how to ask for it.
  const char *extensions[4];
  uint32_t extensionCount;
};
// Refuses a device that is older than Vulkan 1.1, or does not compute.
heddle_status readFacts(const VulkanInstance &instance, VkPhysicalDevice device, VulkanFacts &facts);

// The features of Vulkan that go with those of heddle. Linked to one another: stays where it is.
struct VulkanFeatures {
  VkPhysicalDeviceFeatures2 base = {};
  VkPhysicalDevice16BitStorageFeatures storage16 = {};
  VkPhysicalDevice8BitStorageFeatures storage8 = {};
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8 = {};

  // Those that only extensions or Vulkan 1.2 have are linked in where these are there.
  VulkanFeatures(bool hasStorage8, bool hasFloat16Int8);
  VulkanFeatures(const VulkanFeatures &) = delete;
  void enable(uint64_t features);
  uint64_t features() const;
};

struct MemoryTypes {
  uint32_t device, host; // what memories are made of, and staging
  bool direct;           // `device` is the host's as well: staging is not needed
  uint64_t size;         // bytes of the heap that `device` is of
  bool sharedHeap;       // `host` is of the same
};
// Among those that `allowed` has bits for.
heddle_status chooseMemoryTypes(const VkPhysicalDeviceMemoryProperties &memory, uint32_t allowed, MemoryTypes &types);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_FACTS_H
