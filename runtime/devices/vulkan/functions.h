// functions.h - pointers to the functions of Vulkan that the driver uses, so libheddle links no Vulkan library. (A
// loader such as volk is no alternative: it defines variables with the names of Vulkan's functions, and a host program
// that links Vulkan would then call through these variables.)
#ifndef HEDDLE_DEVICES_VULKAN_FUNCTIONS_H
#define HEDDLE_DEVICES_VULKAN_FUNCTIONS_H

#include "../driver.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

// Three lists: the functions that need no instance, the functions of an instance, and the functions of a device. Each
// applies the macro X to each name.
#define HEDDLE_VULKAN_GLOBAL(X) X(vkCreateInstance) X(vkEnumerateInstanceVersion)
#define HEDDLE_VULKAN_INSTANCE(X)                                                                                      \
  X(vkCreateDevice)                                                                                                    \
  X(vkDestroyInstance)                                                                                                 \
  X(vkEnumerateDeviceExtensionProperties)                                                                              \
  X(vkEnumeratePhysicalDevices)                                                                                        \
  X(vkGetDeviceProcAddr)                                                                                               \
  X(vkGetPhysicalDeviceFeatures2)                                                                                      \
  X(vkGetPhysicalDeviceMemoryProperties)                                                                               \
  X(vkGetPhysicalDeviceProperties2)                                                                                    \
  X(vkGetPhysicalDeviceQueueFamilyProperties)
#define HEDDLE_VULKAN_DEVICE(X)                                                                                        \
  X(vkAllocateCommandBuffers)                                                                                          \
  X(vkAllocateDescriptorSets)                                                                                          \
  X(vkAllocateMemory)                                                                                                  \
  X(vkBeginCommandBuffer)                                                                                              \
  X(vkBindBufferMemory)                                                                                                \
  X(vkCmdBindDescriptorSets)                                                                                           \
  X(vkCmdBindPipeline)                                                                                                 \
  X(vkCmdCopyBuffer)                                                                                                   \
  X(vkCmdDispatch)                                                                                                     \
  X(vkCmdDispatchIndirect)                                                                                             \
  X(vkCmdPipelineBarrier)                                                                                              \
  X(vkCmdResetQueryPool)                                                                                               \
  X(vkCmdWriteTimestamp)                                                                                               \
  X(vkCreateBuffer)                                                                                                    \
  X(vkCreateCommandPool)                                                                                               \
  X(vkCreateComputePipelines)                                                                                          \
  X(vkCreateDescriptorPool)                                                                                            \
  X(vkCreateDescriptorSetLayout)                                                                                       \
  X(vkCreateFence)                                                                                                     \
  X(vkCreatePipelineCache)                                                                                             \
  X(vkCreatePipelineLayout)                                                                                            \
  X(vkCreateQueryPool)                                                                                                 \
  X(vkCreateShaderModule)                                                                                              \
  X(vkDestroyBuffer)                                                                                                   \
  X(vkDestroyCommandPool)                                                                                              \
  X(vkDestroyDescriptorPool)                                                                                           \
  X(vkDestroyDescriptorSetLayout)                                                                                      \
  X(vkDestroyDevice)                                                                                                   \
  X(vkDestroyFence)                                                                                                    \
  X(vkDestroyPipeline)                                                                                                 \
  X(vkDestroyPipelineCache)                                                                                            \
  X(vkDestroyPipelineLayout)                                                                                           \
  X(vkDestroyQueryPool)                                                                                                \
  X(vkDestroyShaderModule)                                                                                             \
  X(vkEndCommandBuffer)                                                                                                \
  X(vkFreeMemory)                                                                                                      \
  X(vkGetBufferMemoryRequirements)                                                                                     \
  X(vkGetDeviceQueue)                                                                                                  \
  X(vkGetPipelineCacheData)                                                                                            \
  X(vkGetQueryPoolResults)                                                                                             \
  X(vkMapMemory)                                                                                                       \
  X(vkMergePipelineCaches)                                                                                             \
  X(vkQueueSubmit)                                                                                                     \
  X(vkQueueWaitIdle)                                                                                                   \
  X(vkResetFences)                                                                                                     \
  X(vkUpdateDescriptorSets)                                                                                            \
  X(vkWaitForFences)

namespace heddle {

#define HEDDLE_MEMBER(name) PFN_##name name = nullptr;
struct VulkanGlobals {
  HEDDLE_VULKAN_GLOBAL(HEDDLE_MEMBER)
};
struct VulkanInstanceFunctions {
  HEDDLE_VULKAN_INSTANCE(HEDDLE_MEMBER)
};
struct VulkanDeviceFunctions {
  HEDDLE_VULKAN_DEVICE(HEDDLE_MEMBER)
};
#undef HEDDLE_MEMBER

// Look up all functions of a list. If one is missing, return HEDDLE_UNSUPPORTED_DEVICE with its name in the error text.
heddle_status load(VulkanGlobals &functions, PFN_vkGetInstanceProcAddr loader);
heddle_status load(VulkanInstanceFunctions &functions, PFN_vkGetInstanceProcAddr loader, VkInstance instance);
heddle_status load(VulkanDeviceFunctions &functions, PFN_vkGetDeviceProcAddr loader, VkDevice device);

// Returns HEDDLE_OK, or the status that corresponds to the result of `function`, with an error text.
heddle_status check(VkResult result, const char *function);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_FUNCTIONS_H
