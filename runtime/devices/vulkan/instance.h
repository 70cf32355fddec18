// instance.h - Vulkan's loader, an instance, and the devices that it lists.
#ifndef HEDDLE_DEVICES_VULKAN_INSTANCE_H
#define HEDDLE_DEVICES_VULKAN_INSTANCE_H

#include "../choose.h"
#include "functions.h"

namespace heddle {

// Loads libvulkan.so.1, which stays loaded, and returns its entry point. Returns NULL if it cannot be loaded, with the
// reason in lastError().
PFN_vkGetInstanceProcAddr findVulkan();

struct VulkanInstance {
  VulkanInstanceFunctions f;
  VkInstance instance = VK_NULL_HANDLE;
  uint32_t version = 0; // the version of Vulkan that was requested
  uint32_t count = 0;   // the number of `devices`
  std::unique_ptr<VkPhysicalDevice[]> devices;

  VulkanInstance() = default;
  VulkanInstance(const VulkanInstance &) = delete;
  ~VulkanInstance();
  // Creates the instance and lists its devices. Fails if there is no device.
  heddle_status open(PFN_vkGetInstanceProcAddr loader);
};

// The properties by which a device is selected.
Candidate candidateOf(const VulkanInstance &instance, VkPhysicalDevice device);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_INSTANCE_H
