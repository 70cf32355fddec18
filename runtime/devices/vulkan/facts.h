// facts.h - facts of a physical device: limits and features, which are read before a VkDevice is created, and memory
// types.
#ifndef HEDDLE_DEVICES_VULKAN_FACTS_H
#define HEDDLE_DEVICES_VULKAN_FACTS_H

#include "instance.h"

namespace heddle {

struct VulkanFacts {
  heddle_device_limits limits; // without `memory` and `memory_size`, which depend on the chosen memory types
  uint64_t features;           // bits of enum heddle_device_features
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  // The driver's name and version as one text.
  char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
  uint32_t spirv;          // the latest supported version of SPIR-V, such as 0x10300
  uint32_t queueFamily;    // the index of a queue family that can compute
  uint64_t allocationSize; // the maximum size of one allocation in bytes
  uint32_t timerBits;      // the number of valid bits of the queue's timestamps; 0: the queue has no timers
  double timerPeriod;      // seconds for one unit of a timestamp
  uint32_t vendor, device; // together with cacheId, they identify the device and driver of a pipeline cache
  uint8_t cacheId[VK_UUID_SIZE];
  // The device extensions to enable; none if the device supports Vulkan 1.2.
  const char *extensions[4];
  uint32_t extensionCount;
};
// Fails if the device does not support Vulkan 1.1 or has no queue for compute work.
heddle_status readFacts(const VulkanInstance &instance, VkPhysicalDevice device, VulkanFacts &facts);

// Vulkan's structures for the features in enum heddle_device_features. The structures point to one another, so the
// object cannot be copied or moved.
struct VulkanFeatures {
  VkPhysicalDeviceFeatures2 base = {};
  VkPhysicalDevice16BitStorageFeatures storage16 = {};
  VkPhysicalDevice8BitStorageFeatures storage8 = {};
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8 = {};

  // Structures that need an extension or Vulkan 1.2 are linked only if the device has the feature.
  VulkanFeatures(bool hasStorage8, bool hasFloat16Int8);
  VulkanFeatures(const VulkanFeatures &) = delete;
  // `enable` requests exactly these features. `features` returns the features whose fields are set.
  void enable(uint64_t features);
  uint64_t features() const;
};

struct MemoryTypes {
  uint32_t device;       // the index of the memory type of the memory that heddle_device::allocate returns
  uint32_t host;         // the index of the memory type of staging memory
  bool direct;           // the host can access `device` directly, so no staging is needed
  uint64_t size;         // the size of the heap of `device` in bytes
  bool sharedHeap;       // `host` uses the same heap as `device`
};
// Chooses among the types whose bits are set in `allowed`. Fails if none of them is suitable.
heddle_status chooseMemoryTypes(const VkPhysicalDeviceMemoryProperties &memory, uint32_t allowed, MemoryTypes &types);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_FACTS_H
