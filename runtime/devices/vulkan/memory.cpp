//===- memory.cpp - buffers and copies ------------------------------------===//

#include "vulkan.h"

#include <algorithm>
#include <string.h>

using namespace heddle;

heddle_status VulkanBuffer::create(VulkanDriver &owner, uint64_t size, uint32_t memoryType, bool map) {
  driver = &owner;
  const VulkanDeviceFunctions &f = driver->f;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  if (auto status = check(f.vkCreateBuffer(driver->device, &info, nullptr, &buffer), "vkCreateBuffer"))
    return status;
  VkMemoryRequirements requirements = {};
  f.vkGetBufferMemoryRequirements(driver->device, buffer, &requirements);
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = memoryType;
  if (auto status = check(f.vkAllocateMemory(driver->device, &allocation, nullptr, &memory), "vkAllocateMemory"))
    return status;
  if (auto status = check(f.vkBindBufferMemory(driver->device, buffer, memory, 0), "vkBindBufferMemory"))
    return status;
  if (!map)
    return HEDDLE_OK;
  void *address = nullptr;
  if (auto status = check(f.vkMapMemory(driver->device, memory, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory"))
    return status;
  mapped = static_cast<char *>(address);
  return HEDDLE_OK;
}

VulkanBuffer::~VulkanBuffer() {
  if (!driver)
    return;
  driver->f.vkDestroyBuffer(driver->device, buffer, nullptr);
  driver->f.vkFreeMemory(driver->device, memory, nullptr); // also unmaps it
}

heddle_status VulkanMemory::create(uint64_t size) {
  return buffer.create(vulkan, size, vulkan.types.device, vulkan.types.direct);
}

heddle_status VulkanMemory::upload(uint64_t offset, const void *host, uint64_t size) {
  if (!buffer.mapped)
    return buffer.driver->transfers->upload(buffer.buffer, offset, static_cast<const char *>(host), size);
  memcpy(buffer.mapped + offset, host, size);
  return HEDDLE_OK;
}

heddle_status VulkanMemory::download(uint64_t offset, void *host, uint64_t size) {
  if (!buffer.mapped)
    return buffer.driver->transfers->download(buffer.buffer, offset, static_cast<char *>(host), size);
  memcpy(host, buffer.mapped + offset, size);
  return HEDDLE_OK;
}

heddle_status VulkanTransfers::create(VulkanDriver &driver) {
  if (auto status = staging.create(driver, stagingSize, driver.types.host, /*map=*/true))
    return status;
  return commands.create(driver);
}

// Copies a region on the device and waits until the copy has finished.
heddle_status VulkanTransfers::copy(VkBuffer from, VkBuffer to, const VkBufferCopy &region) {
  if (auto status = commands.begin(0))
    return status;
  commands.beginCopies(0);
  commands.driver->f.vkCmdCopyBuffer(commands.buffers[0], from, to, 1, &region);
  commands.endCopies(0);
  if (auto status = commands.end(0))
    return status;
  return commands.runAndWait(0, 1);
}

heddle_status VulkanTransfers::upload(VkBuffer to, uint64_t offset, const char *host, uint64_t size) {
  Lock lock(mutex);
  for (uint64_t done = 0; done < size; done += stagingSize) {
    uint64_t part = std::min(size - done, stagingSize);
    memcpy(staging.mapped, host + done, part);
    if (auto status = copy(staging.buffer, to, {0, offset + done, part}))
      return status;
  }
  return HEDDLE_OK;
}

heddle_status VulkanTransfers::download(VkBuffer from, uint64_t offset, char *host, uint64_t size) {
  Lock lock(mutex);
  for (uint64_t done = 0; done < size; done += stagingSize) {
    uint64_t part = std::min(size - done, stagingSize);
    if (auto status = copy(from, staging.buffer, {offset + done, 0, part}))
      return status;
    memcpy(host + done, staging.mapped, part);
  }
  return HEDDLE_OK;
}
