//===- timers.cpp - measures launches with timestamps ---------------------===//

#include "vulkan.h"

#include <new>

using namespace heddle;

heddle_status VulkanTimers::begin(VulkanDriver &owner, VkCommandBuffer buffer, uint64_t intervals) {
  driver = &owner;
  if (intervals >= UINT32_MAX)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "too many launches: a Vulkan query pool has fewer than 2^32 timestamps");
  count = uint32_t(intervals);
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count + 1;
  const VulkanDeviceFunctions &f = driver->f;
  if (!pool) // a later recording reuses the pool
    if (auto status = check(f.vkCreateQueryPool(driver->device, &info, nullptr, &pool), "vkCreateQueryPool"))
      return status;
  f.vkCmdResetQueryPool(buffer, pool, 0, count + 1);
  f.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  return HEDDLE_OK;
}

VulkanTimers::~VulkanTimers() {
  if (driver)
    driver->f.vkDestroyQueryPool(driver->device, pool, nullptr);
}

void VulkanTimers::end(VkCommandBuffer buffer, uint64_t interval) {
  driver->f.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, uint32_t(interval) + 1);
}

heddle_status VulkanTimers::read(double *seconds) const {
  std::unique_ptr<uint64_t[]> stamps(new (std::nothrow) uint64_t[count + 1]);
  if (!stamps)
    return failOutOfHostMemory();
  VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
  VkResult result = driver->f.vkGetQueryPoolResults(driver->device, pool, 0, count + 1, (count + 1) * sizeof(uint64_t),
                                                    stamps.get(), sizeof(uint64_t), flags);
  if (auto status = check(result, "vkGetQueryPoolResults"))
    return status;
  // Timestamps wrap around at their number of valid bits.
  uint64_t mask = driver->facts.timerBits < 64 ? (uint64_t(1) << driver->facts.timerBits) - 1 : UINT64_MAX;
  for (uint32_t i = 0; i < count; ++i)
    seconds[i] = double((stamps[i + 1] - stamps[i]) & mask) * driver->facts.timerPeriod;
  return HEDDLE_OK;
}
