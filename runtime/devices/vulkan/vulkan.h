// vulkan.h - a Vulkan device and its objects.
#ifndef HEDDLE_DEVICES_VULKAN_VULKAN_H
#define HEDDLE_DEVICES_VULKAN_VULKAN_H

#include "facts.h"

namespace heddle {
class VulkanDriver;

// A buffer with memory of its own. `memoryType` is an index into the device's memory types. If `map` is set, the memory
// is mapped into the address space of the host.
struct VulkanBuffer {
  static constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VulkanDriver *driver = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  char *mapped = nullptr; // the host address of the memory; null if it is not mapped

  VulkanBuffer() = default;
  VulkanBuffer(const VulkanBuffer &) = delete;
  ~VulkanBuffer();
  heddle_status create(VulkanDriver &driver, uint64_t size, uint32_t memoryType, bool map);
};

// Three command buffers that are submitted in order, and a fence for waiting until they have finished. `buffer` is an
// index into `buffers`.
struct VulkanCommands {
  VulkanDriver *driver = nullptr;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  VkCommandBuffer buffers[3] = {};

  VulkanCommands() = default;
  VulkanCommands(const VulkanCommands &) = delete;
  ~VulkanCommands();
  heddle_status create(VulkanDriver &driver);
  // Begin and end the recording of a command buffer.
  heddle_status begin(unsigned buffer);
  heddle_status end(unsigned buffer);
  // Makes the writes of earlier commands in the stages `from` visible to later commands in the stages `to`.
  void barrier(unsigned buffer, VkPipelineStageFlags from, VkPipelineStageFlags to);
  // Record barriers before and after copies. The barriers are needed even if the host has waited for earlier commands,
  // because waiting does not make the writes of these commands visible to later commands.
  void beginCopies(unsigned buffer);
  void endCopies(unsigned buffer);
  // Submits `count` command buffers, beginning with buffer `first`, and waits until they have finished.
  heddle_status runAndWait(unsigned first, unsigned count);
};

// Timestamps that a command buffer writes before and after each interval, such as a launch.
struct VulkanTimers {
  VulkanDriver *driver = nullptr;
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t count = 0; // the number of intervals

  VulkanTimers() = default;
  VulkanTimers(const VulkanTimers &) = delete;
  ~VulkanTimers();
  // Records the start of the first of `count` intervals. This interval starts at the next command.
  heddle_status begin(VulkanDriver &driver, VkCommandBuffer buffer, uint64_t count);
  // Records the end of interval number `interval` (from 0): the time at which all earlier commands have ended. The next
  // interval starts at the same time.
  void end(VkCommandBuffer buffer, uint64_t interval);
  // Reads the seconds of all intervals after the commands have ended.
  heddle_status read(double *seconds) const;
};

// Copies through a staging buffer, one at a time, for devices whose memory the host cannot access.
struct VulkanTransfers {
  static constexpr uint64_t stagingSize = 8 << 20; // bytes; larger copies are done in parts
  Mutex mutex;                                     // held during a copy
  VulkanBuffer staging;
  VulkanCommands commands;

  heddle_status create(VulkanDriver &driver);
  heddle_status upload(VkBuffer to, uint64_t offset, const char *host, uint64_t size);
  heddle_status download(VkBuffer from, uint64_t offset, char *host, uint64_t size);

private:
  heddle_status copy(VkBuffer from, VkBuffer to, const VkBufferCopy &region);
};

class VulkanDriver : public Driver {
public:
  VulkanInstance instance;
  VulkanFacts facts;
  VulkanDeviceFunctions f;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  Mutex queueMutex; // held during submissions
  Mutex pipelinesMutex; // held while `pipelines` is used: to compile, to save and to restore
  VkPipelineCache pipelines = VK_NULL_HANDLE; // the driver's compiled code
  MemoryTypes types = {};
  std::unique_ptr<VulkanTransfers> transfers; // null if types.direct

  ~VulkanDriver() override;
  heddle_status open(PFN_vkGetInstanceProcAddr loader, const char *which);
  heddle_status allocate(uint64_t size, heddle_memory *&memory) override;
  heddle_status load(const heddle_program &program, heddle_code *&code) override;
  heddle_status saveCache(std::unique_ptr<char[]> &data, uint64_t &size) override;
  heddle_status restoreCache(const char *data, uint64_t size) override;

private:
  heddle_status createDevice(VkPhysicalDevice physical);
};

struct VulkanMemory : heddle_memory {
  VulkanDriver &vulkan;
  VulkanBuffer buffer;

  explicit VulkanMemory(VulkanDriver &vulkan) : vulkan(vulkan) {}
  heddle_status create(uint64_t size);
  heddle_status upload(uint64_t offset, const void *host, uint64_t size) override;
  heddle_status download(uint64_t offset, void *host, uint64_t size) override;
};

struct VulkanKernel {
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE; // one storage buffer for each buffer of the kernel
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

struct VulkanCode : heddle_code {
  VulkanDriver &vulkan;
  uint64_t count = 0; // the number of `kernels` for which objects were created; the destructor destroys these
  std::unique_ptr<VulkanKernel[]> kernels;

  explicit VulkanCode(VulkanDriver &vulkan) : vulkan(vulkan) {}
  ~VulkanCode() override;
  heddle_status create(const heddle_program &program);
  heddle_status record(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                       uint64_t launchCount, uint64_t staging, bool timed, heddle_launches *&recorded) override;

private:
  heddle_status createKernel(const heddle_program &program, const heddle_kernel &kernel, VulkanKernel &made);
};

// Does the same as openVulkan, but with `loader` instead of the installed loader.
Driver *openVulkanWith(PFN_vkGetInstanceProcAddr loader, const char *which);

} // namespace heddle

#endif // HEDDLE_DEVICES_VULKAN_VULKAN_H
