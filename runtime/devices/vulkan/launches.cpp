//===- launches.cpp - records launches and replays them -------------------===//
//
// A replay submits up to three command buffers at once: the copies in, the launches, and the copies out. The device
// copies from and to staging memory, or between memories of its own. The first and the last buffer are recorded again
// for each replay, and left out if they are empty. If the host can access the device's memory, the host performs all
// copies, and only the launches are submitted.
//
//===----------------------------------------------------------------------===//

#include "vulkan.h"

#include <algorithm>
#include <new>
#include <string.h>

using namespace heddle;

namespace {

constexpr VkPipelineStageFlags computes = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
// The stage in which an indirect dispatch reads the workgroup counts.
constexpr VkPipelineStageFlags counts = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkPipelineStageFlags host = VK_PIPELINE_STAGE_HOST_BIT;

const VulkanBuffer &bufferOf(heddle_memory *memory) { return static_cast<VulkanMemory *>(memory)->buffer; }

struct VulkanLaunches : heddle_launches {
  enum Buffer { In, Launches, Out }; // indices into commands.buffers
  VulkanDriver &vulkan;
  uint64_t reserved = 0; // the size of staging memory in the device's heap; 0 if it uses another heap
  VulkanBuffer staged;
  VulkanCommands commands;
  VulkanTimers timers;
  const VulkanCode &code;
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  std::unique_ptr<VkDescriptorSet[]> sets; // the descriptor set of each launch; null for a kernel without buffers

  VulkanLaunches(VulkanDriver &vulkan, const VulkanCode &code) : vulkan(vulkan), code(code) {}
  ~VulkanLaunches() override {
    vulkan.f.vkDestroyDescriptorPool(vulkan.device, descriptors, nullptr);
    vulkan.unreserve(reserved);
  }

  // Creates the command buffers and, if the device needs staging memory, `staging` bytes of it.
  heddle_status create(uint64_t staging);
  // Create the descriptor pool, and the descriptor sets in it.
  heddle_status createDescriptors(const heddle_launch *launches, uint64_t count);
  heddle_status allocateSets(const heddle_launch *launches, uint64_t count);
  heddle_status recordLaunches(const heddle_launch *launches, uint64_t count, bool isTimed);
  heddle_status bind() override { return recordLaunches(open->launches.get(), open->launchCount, timed); }
  heddle_status replay(Copies in, Copies out) override;
  heddle_status times(double *seconds) override { return timers.read(seconds); }

private:
  void recordLaunch(const heddle_launch &launch, VkDescriptorSet set);
  void recordCopies(Buffer buffer, Copies copies);
  void copyOnHost(Buffer buffer, Copies copies);
};

heddle_status VulkanLaunches::create(uint64_t staging) {
  if (auto status = commands.create(vulkan))
    return status;
  if (vulkan.types.direct || !staging)
    return HEDDLE_OK;
  if (vulkan.types.sharedHeap) {
    if (auto status = vulkan.reserve(staging))
      return status;
    reserved = staging;
  }
  return staged.create(vulkan, staging, vulkan.types.host, /*map=*/true);
}

heddle_status VulkanLaunches::createDescriptors(const heddle_launch *launches, uint64_t count) {
  uint64_t buffers = 0, sets = 0;
  for (uint64_t i = 0; i < count; ++i) {
    buffers += code.buffers[launches[i].kernel];
    sets += code.buffers[launches[i].kernel] != 0;
  }
  if (!sets)
    return HEDDLE_OK;
  if (buffers > UINT32_MAX)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "too many launches: a Vulkan descriptor pool has fewer than 2^32 buffers");
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, uint32_t(buffers)};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = uint32_t(sets);
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  return check(vulkan.f.vkCreateDescriptorPool(vulkan.device, &info, nullptr, &descriptors), "vkCreateDescriptorPool");
}

heddle_status VulkanLaunches::allocateSets(const heddle_launch *launches, uint64_t count) {
  sets.reset(new (std::nothrow) VkDescriptorSet[count]());
  if (!sets)
    return failOutOfHostMemory();
  for (uint64_t i = 0; i < count; ++i) {
    if (!code.buffers[launches[i].kernel])
      continue;
    VkDescriptorSetAllocateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = descriptors;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &code.kernels[launches[i].kernel].setLayout;
    if (auto status = check(vulkan.f.vkAllocateDescriptorSets(vulkan.device, &info, &sets[i]), "vkAllocateDescriptorSets"))
      return status;
  }
  return HEDDLE_OK;
}

// Writes the descriptor set and records the dispatch, and a barrier so that later launches see the results.
void VulkanLaunches::recordLaunch(const heddle_launch &launch, VkDescriptorSet set) {
  const VulkanDeviceFunctions &f = vulkan.f;
  const VulkanKernel &kernel = code.kernels[launch.kernel];
  VkCommandBuffer buffer = commands.buffers[Launches];
  if (code.buffers[launch.kernel]) {
    for (uint32_t i = 0; i < code.buffers[launch.kernel]; ++i) {
      Place place = placeOf(launch.views[i]);
      VkDescriptorBufferInfo part = {bufferOf(place.memory).buffer, place.offset, place.size};
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &part;
      f.vkUpdateDescriptorSets(vulkan.device, 1, &write, 0, nullptr);
    }
    f.vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &set, 0, nullptr);
  }
  f.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  if (launch.counts)
    f.vkCmdDispatchIndirect(buffer, bufferOf(memories[launch.counts->memory]).buffer, launch.counts->offset);
  else
    f.vkCmdDispatch(buffer, uint32_t(launch.groups[0]), uint32_t(launch.groups[1]), uint32_t(launch.groups[2]));
  commands.barrier(Launches, computes, computes | counts);
}

// Records the command buffer of the launches. Called again after a binding has changed, while no replay runs.
heddle_status VulkanLaunches::recordLaunches(const heddle_launch *launches, uint64_t count, bool isTimed) {
  if (auto status = commands.begin(Launches))
    return status;
  VkCommandBuffer buffer = commands.buffers[Launches];
  if (isTimed)
    if (auto status = timers.begin(vulkan, buffer, count))
      return status;
  for (uint64_t i = 0; i < count; ++i) {
    recordLaunch(launches[i], sets[i]);
    if (isTimed)
      timers.end(buffer, i);
  }
  commands.barrier(Launches, computes, host);
  return commands.end(Launches);
}

// Records the device's part of the copies. The copies from or to the host use consecutive ranges of the staging memory.
void VulkanLaunches::recordCopies(Buffer buffer, Copies list) {
  uint64_t place = 0;
  for (uint64_t i = 0; i < list.count; ++i) {
    const heddle_copy &copy = list.copies[i];
    if (!copy.size)
      continue;
    VkBuffer memory = bufferOf(memories[copy.memory]).buffer, other = staged.buffer;
    uint64_t otherOffset = place;
    if (copy.other) {
      other = bufferOf(copy.other).buffer;
      otherOffset = copy.other_offset;
    } else {
      place += copy.size;
    }
    VkBufferCopy in = {otherOffset, copy.offset, copy.size}, out = {copy.offset, otherOffset, copy.size};
    if (buffer == In)
      vulkan.f.vkCmdCopyBuffer(commands.buffers[buffer], other, memory, 1, &in);
    else
      vulkan.f.vkCmdCopyBuffer(commands.buffers[buffer], memory, other, 1, &out);
  }
}

// Performs the host's part of the copies: all copies if the host can access the device's memory, else the copies
// between the host's tensors and the staging memory.
void VulkanLaunches::copyOnHost(Buffer buffer, Copies list) {
  uint64_t place = 0;
  for (uint64_t i = 0; i < list.count; ++i) {
    const heddle_copy &copy = list.copies[i];
    if (!copy.size || (copy.other && !vulkan.types.direct))
      continue;
    char *own = vulkan.types.direct ? bufferOf(memories[copy.memory]).mapped + copy.offset : staged.mapped + place;
    place += copy.size;
    void *other = copy.host;
    if (copy.other)
      other = bufferOf(copy.other).mapped + copy.other_offset;
    if (buffer == In)
      memmove(own, other, copy.size);
    else
      memmove(other, own, copy.size);
  }
}

heddle_status VulkanLaunches::replay(Copies in, Copies out) {
  // Whether the device performs copies of the list: at least one copy is not empty, and the host cannot access the
  // device's memory.
  auto any = [&](Copies list) {
    for (uint64_t i = 0; i < list.count; ++i)
      if (list.copies[i].size)
        return !vulkan.types.direct;
    return false;
  };
  copyOnHost(In, in);
  bool copiesIn = any(in), copiesOut = any(out);
  if (copiesIn) {
    if (auto status = commands.begin(In))
      return status;
    commands.beginCopies(In);
    recordCopies(In, in);
    commands.endCopies(In);
    if (auto status = commands.end(In))
      return status;
  }
  if (copiesOut) {
    if (auto status = commands.begin(Out))
      return status;
    commands.beginCopies(Out);
    recordCopies(Out, out);
    commands.endCopies(Out);
    if (auto status = commands.end(Out))
      return status;
  }
  if (auto status = commands.runAndWait(copiesIn ? In : Launches, 1 + copiesIn + copiesOut))
    return status;
  copyOnHost(Out, out);
  return HEDDLE_OK;
}

} // namespace

heddle_status VulkanCode::record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                                 uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) {
  std::unique_ptr<VulkanLaunches> made(new (std::nothrow) VulkanLaunches(vulkan, *this));
  if (!made)
    return failOutOfHostMemory();
  if (auto status = made->create(staging))
    return status;
  if (auto status = made->createDescriptors(launches, launchCount))
    return status;
  if (auto status = made->allocateSets(launches, launchCount))
    return status;
  if (!hasOpen(memories, memoryCount)) {
    made->memories.reset(new (std::nothrow) heddle_memory *[memoryCount]);
    if (!made->memories)
      return failOutOfHostMemory();
    std::copy_n(memories, memoryCount, made->memories.get());
    if (auto status = made->recordLaunches(launches, launchCount, timed))
      return status;
  }
  recorded = made.release();
  return HEDDLE_OK;
}
