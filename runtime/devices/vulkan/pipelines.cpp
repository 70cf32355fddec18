//===- pipelines.cpp - saves and restores pipelines -----------------------===//

#include "vulkan.h"

#include <new>
#include <string.h>

using namespace heddle;

heddle_status VulkanDriver::saveCache(std::unique_ptr<char[]> &data, uint64_t &size) {
  // No pipeline may be added between the call that returns the size and the call that returns the data.
  Lock lock(pipelinesMutex);
  size_t bytes = 0;
  if (auto status = check(f.vkGetPipelineCacheData(device, pipelines, &bytes, nullptr), "vkGetPipelineCacheData"))
    return status;
  data.reset(new (std::nothrow) char[bytes]);
  if (!data)
    return failOutOfHostMemory();
  if (auto status = check(f.vkGetPipelineCacheData(device, pipelines, &bytes, data.get()), "vkGetPipelineCacheData"))
    return status;
  size = bytes;
  return HEDDLE_OK;
}

// Whether the data is a pipeline cache of this device and driver, according to the header that Vulkan defines.
static bool isOf(const VulkanFacts &facts, const char *data, uint64_t size) {
  VkPipelineCacheHeaderVersionOne header;
  if (size < sizeof header)
    return false;
  memcpy(&header, data, sizeof header);
  return header.headerSize >= sizeof header && header.headerSize <= size &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.vendorID == facts.vendor &&
         header.deviceID == facts.device && memcmp(header.pipelineCacheUUID, facts.cacheId, VK_UUID_SIZE) == 0;
}

heddle_status VulkanDriver::restoreCache(const char *data, uint64_t size) {
  if (!isOf(facts, data, size))
    return fail(HEDDLE_INVALID_ARGUMENT,
                "the cache was not saved by %s with this driver, but by another device or driver version", name);
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = size;
  info.pInitialData = data;
  VkPipelineCache restored = VK_NULL_HANDLE;
  if (auto status = check(f.vkCreatePipelineCache(device, &info, nullptr, &restored), "vkCreatePipelineCache"))
    return status;
  Lock lock(pipelinesMutex);
  heddle_status status = check(f.vkMergePipelineCaches(device, pipelines, 1, &restored), "vkMergePipelineCaches");
  f.vkDestroyPipelineCache(device, restored, nullptr);
  return status;
}
