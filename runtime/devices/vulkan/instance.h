// instance.h - Vulkan's loader, an instance of our own, and the devices that it lists.
#ifndef HEDDLE_DEVICES_VULKAN_INSTANCE_H
#define HEDDLE_DEVICES_VULKAN_INSTANCE_H

#include "../choose.h"
#include "functions.h"

namespace heddle {

// The entry to libvulkan.so.1, which stays loaded; NULL where there is none, with the reason in lastError().
PFN_vkGetInstanceProcAddr findVulkan();

struct VulkanInstance {
  VulkanInstanceFunctions f;
  VkInstance instance = VK_NULL_HANDLE;
  uint32_t version = 0; // of Vulkan, that was asked for
  uint32_t count = 0;
  std::unique_ptr<VkPhysicalDevice[]> devices;

  VulkanInstance() = default;
  VulkanInstance(const VulkanInstance &) = delete;
  ~VulkanInstance();
  // Refuses where there is no device.
  heddle_status open(PFN_vkGetInstanceProcAddr loader);
};

// What a device is chosen by.
Candidate candidateOf(const VulkanInstance &instance, VkPhysicalDevice device);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_INSTANCE_H
