//===- memorytypes.cpp - chooses types of memory --------------------------===//

#include "facts.h"

using namespace heddle;

// Returns the index of the type with the largest heap among the allowed types that have all properties in `needed`; -1
// if there is none.
static int64_t largest(const VkPhysicalDeviceMemoryProperties &memory, uint32_t allowed, VkMemoryPropertyFlags needed) {
  int64_t best = -1;
  auto size = [&](uint32_t type) { return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size; };
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    // Skip types with other flags, such as protected or lazily allocated memory, which cannot be accessed as usual.
    constexpr VkMemoryPropertyFlags usual = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (allowed >> i & 1 && (flags & needed) == needed && !(flags & ~usual) &&
        (best < 0 || size(i) > size(uint32_t(best))))
      best = i;
  }
  return best;
}

heddle_status heddle::chooseMemoryTypes(const VkPhysicalDeviceMemoryProperties &memory, uint32_t allowed,
                                        MemoryTypes &types) {
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  constexpr VkMemoryPropertyFlags device = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  int64_t own = largest(memory, allowed, device), staging = largest(memory, allowed, cached);
  if (staging < 0)
    staging = largest(memory, allowed, host);
  if (own < 0 || staging < 0)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "the device has no memory for buffers, or none that the host can access");
  auto heapOf = [&](int64_t type) { return memory.memoryTypes[type].heapIndex; };
  auto heap = [&](int64_t type) { return memory.memoryHeaps[heapOf(type)].size; };
  // Memory that host and device can access is used only if its heap is at least as large as the heap of device memory:
  // a smaller heap is only a window onto device memory. The memory must also be cached, since the host reads uncached
  // memory slowly.
  int64_t both = largest(memory, allowed, device | cached);
  types.direct = both >= 0 && heap(both) >= heap(own);
  types.device = uint32_t(types.direct ? both : own);
  types.host = uint32_t(staging);
  types.size = heap(types.device);
  types.sharedHeap = heapOf(types.device) == heapOf(types.host);
  return HEDDLE_OK;
}
