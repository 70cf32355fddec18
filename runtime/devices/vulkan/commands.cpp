//===- commands.cpp - records, submits and awaits commands ----------------===//

#include "vulkan.h"

using namespace heddle;

heddle_status VulkanCommands::create(VulkanDriver &owner) {
  driver = &owner;
  const VulkanDeviceFunctions &f = driver->f;
  VkCommandPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = driver->facts.queueFamily;
  if (auto status = check(f.vkCreateCommandPool(driver->device, &poolInfo, nullptr, &pool), "vkCreateCommandPool"))
    return status;
  VkCommandBufferAllocateInfo buffersInfo = {};
  buffersInfo.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffersInfo.commandPool = pool;
  buffersInfo.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffersInfo.commandBufferCount = 3;
  if (auto status =
          check(f.vkAllocateCommandBuffers(driver->device, &buffersInfo, buffers), "vkAllocateCommandBuffers"))
    return status;
  VkFenceCreateInfo fenceInfo = {};
  fenceInfo.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return check(f.vkCreateFence(driver->device, &fenceInfo, nullptr, &fence), "vkCreateFence");
}

VulkanCommands::~VulkanCommands() {
  if (!driver)
    return;
  driver->f.vkDestroyFence(driver->device, fence, nullptr);
  driver->f.vkDestroyCommandPool(driver->device, pool, nullptr); // frees its command buffers, too
}

heddle_status VulkanCommands::begin(unsigned buffer) {
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  return check(driver->f.vkBeginCommandBuffer(buffers[buffer], &info), "vkBeginCommandBuffer");
}

heddle_status VulkanCommands::end(unsigned buffer) {
  return check(driver->f.vkEndCommandBuffer(buffers[buffer]), "vkEndCommandBuffer");
}

void VulkanCommands::barrier(unsigned buffer, VkPipelineStageFlags from, VkPipelineStageFlags to) {
  VkMemoryBarrier memory = {};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  // Returns `access` if `stages` includes `stage`, else no access.
  auto where = [](VkPipelineStageFlags stages, VkPipelineStageFlags stage, VkAccessFlags access) {
    return stages & stage ? access : 0;
  };
  memory.srcAccessMask = where(from, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT) |
                         where(from, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
  memory.dstAccessMask =
      where(to, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT) |
      where(to, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT) |
      where(to, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT) |
      where(to, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  driver->f.vkCmdPipelineBarrier(buffers[buffer], from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void VulkanCommands::beginCopies(unsigned buffer) {
  barrier(buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT);
}

void VulkanCommands::endCopies(unsigned buffer) {
  barrier(buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
              VK_PIPELINE_STAGE_HOST_BIT);
}

heddle_status VulkanCommands::runAndWait(unsigned first, unsigned count) {
  const VulkanDeviceFunctions &f = driver->f;
  if (auto status = check(f.vkResetFences(driver->device, 1, &fence), "vkResetFences"))
    return status;
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = count;
  submit.pCommandBuffers = buffers + first;
  {
    Lock lock(driver->queueMutex);
    if (auto status = check(f.vkQueueSubmit(driver->queue, 1, &submit, fence), "vkQueueSubmit"))
      return status;
  }
  heddle_status status = check(f.vkWaitForFences(driver->device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  if (status) { // wait until it has finished: a running command buffer must not be freed or recorded again
    Lock lock(driver->queueMutex);
    f.vkQueueWaitIdle(driver->queue);
  }
  return status;
}
