//===- vulkan.cpp - opens and closes a Vulkan device ----------------------===//

#include "vulkan.h"

#include "../create.h"

#include <algorithm>
#include <new>
#include <stdio.h>

using namespace heddle;

heddle_status VulkanDriver::createDevice(VkPhysicalDevice physical) {
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo = {};
  queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queueInfo.queueFamilyIndex = facts.queueFamily;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  constexpr uint64_t storage8 = HEDDLE_FEATURE_STORAGE8, float16Int8 = HEDDLE_FEATURE_FLOAT16 | HEDDLE_FEATURE_INT8;
  VulkanFeatures enabled((facts.features & storage8) != 0, (facts.features & float16Int8) != 0);
  enabled.enable(facts.features);
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &enabled.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = facts.extensionCount;
  info.ppEnabledExtensionNames = facts.extensions;
  if (auto status = check(instance.f.vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"))
    return status;
  if (auto status = heddle::load(f, instance.f.vkGetDeviceProcAddr, device))
    return status;
  f.vkGetDeviceQueue(device, facts.queueFamily, 0, &queue);
  VkPipelineCacheCreateInfo cacheInfo = {};
  cacheInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  return check(f.vkCreatePipelineCache(device, &cacheInfo, nullptr, &pipelines), "vkCreatePipelineCache");
}

// Stores the memory types that a buffer with VulkanBuffer::usage can have, as a bit mask. All such buffers have the
// same types.
static heddle_status readAllowedMemoryTypes(const VulkanDriver &driver, uint32_t &allowed) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 4;
  info.usage = VulkanBuffer::usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (auto status = check(driver.f.vkCreateBuffer(driver.device, &info, nullptr, &buffer), "vkCreateBuffer"))
    return status;
  VkMemoryRequirements requirements = {};
  driver.f.vkGetBufferMemoryRequirements(driver.device, buffer, &requirements);
  driver.f.vkDestroyBuffer(driver.device, buffer, nullptr);
  allowed = requirements.memoryTypeBits;
  return HEDDLE_OK;
}

heddle_status VulkanDriver::open(PFN_vkGetInstanceProcAddr loader, const char *which) {
  if (auto status = instance.open(loader))
    return status;
  std::unique_ptr<Candidate[]> candidates(new (std::nothrow) Candidate[instance.count]);
  if (!candidates)
    return failOutOfHostMemory();
  for (uint32_t i = 0; i < instance.count; ++i)
    candidates[i] = candidateOf(instance, instance.devices[i]);
  int64_t chosen = choose("vulkan", candidates.get(), instance.count, which);
  if (chosen < 0)
    return HEDDLE_INVALID_ARGUMENT;
  VkPhysicalDevice physical = instance.devices[chosen];
  if (auto status = readFacts(instance, physical, facts))
    return status;
  if (auto status = createDevice(physical))
    return status;
  uint32_t allowed = 0;
  if (auto status = readAllowedMemoryTypes(*this, allowed))
    return status;
  VkPhysicalDeviceMemoryProperties memory = {};
  instance.f.vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  if (auto status = chooseMemoryTypes(memory, allowed, types))
    return status;

  limits = facts.limits;
  limits.memory = types.size;
  limits.memory_size = std::min(types.size, facts.allocationSize);
  table.format = "spirv";
  table.features = facts.features;
  hasTimers = facts.timerBits != 0;
  snprintf(name, sizeof name, "vulkan:%d", int(chosen));
  snprintf(description, sizeof description, "%s", facts.name);
  snprintf(version, sizeof version, "%s", facts.driver);
  if (types.direct)
    return HEDDLE_OK;
  transfers.reset(new (std::nothrow) VulkanTransfers);
  return transfers ? transfers->create(*this) : failOutOfHostMemory();
}

VulkanDriver::~VulkanDriver() {
  if (!f.vkDestroyDevice)
    return;
  transfers.reset();
  if (f.vkDestroyPipelineCache)
    f.vkDestroyPipelineCache(device, pipelines, nullptr);
  f.vkDestroyDevice(device, nullptr);
}

heddle_status VulkanDriver::allocate(uint64_t size, heddle_memory *&memory) {
  return create<VulkanMemory>(memory, *this, size);
}

heddle_status VulkanDriver::load(const heddle_program &program, heddle_code *&code) {
  return create<VulkanCode>(code, *this, program);
}

Driver *heddle::openVulkanWith(PFN_vkGetInstanceProcAddr loader, const char *which) {
  return heddle::open<VulkanDriver>(loader, which);
}

Driver *heddle::openVulkan(const char *which) {
  PFN_vkGetInstanceProcAddr loader = findVulkan();
  return loader ? openVulkanWith(loader, which) : nullptr;
}

size_t heddle::countVulkan() {
  PFN_vkGetInstanceProcAddr loader = findVulkan();
  VulkanInstance instance;
  return !loader || instance.open(loader) ? 0 : instance.count;
}
