//===- bindings.cpp - memories that are bound at each replay --------------===//
//
// Launches are recorded once and replayed in each call. A memory that is null when the launches are recorded is open:
// each replay binds an allocation to it.
//
//===----------------------------------------------------------------------===//

#include "bindings.h"

#include "driver.h"

#include <algorithm>
#include <new>

using namespace heddle;

bool heddle::hasOpen(heddle_memory *const *memories, uint64_t count) {
  return std::any_of(memories, memories + count, [](const heddle_memory *memory) { return !memory; });
}

heddle_status OpenMemories::create(heddle_memory *const *given, uint64_t givenCount, const heddle_launch *list,
                                   uint64_t listCount, const uint64_t *buffers) {
  uint64_t viewCount = 0;
  for (uint64_t i = 0; i < listCount; ++i)
    viewCount += buffers[list[i].kernel] + (list[i].counts != nullptr);
  launches.reset(new (std::nothrow) heddle_launch[listCount]);
  views.reset(new (std::nothrow) heddle_view[viewCount]);
  memories.reset(new (std::nothrow) Memory[givenCount]);
  if (!launches || !views || !memories)
    return failOutOfHostMemory();
  memoryCount = givenCount;
  launchCount = listCount;
  // The copies of the launches refer to copies of their views.
  heddle_view *next = views.get();
  for (uint64_t i = 0; i < listCount; ++i) {
    launches[i] = list[i];
    launches[i].views = next;
    for (uint64_t j = 0; j < buffers[list[i].kernel]; ++j) {
      const heddle_view &view = *next++ = list[i].views[j];
      Memory &memory = memories[view.memory];
      if (given[view.memory])
        continue;
      memory.needed = std::max(memory.needed, view.offset + 1);
      memory.longest = std::max(memory.longest, view.size);
    }
    if (list[i].counts) {
      *next = *list[i].counts;
      launches[i].counts = next++;
    }
  }
  return HEDDLE_OK;
}

bool OpenMemories::isSame(Bindings list) const {
  for (uint64_t i = 0; i < list.count; ++i) {
    const heddle_binding &binding = list.bindings[i];
    const Memory &memory = memories[binding.memory];
    if (memory.place.memory != binding.bound || memory.number != binding.bound->number ||
        memory.place.offset != binding.offset || memory.place.size != binding.size)
      return false;
  }
  return true;
}

void OpenMemories::take(Bindings list) {
  for (uint64_t i = 0; i < list.count; ++i) {
    const heddle_binding &binding = list.bindings[i];
    Memory &memory = memories[binding.memory];
    memory.place = {binding.bound, binding.offset, binding.size};
    memory.number = binding.bound->number;
  }
}

Place heddle_launches::placeOf(const heddle_view &view) const {
  if (heddle_memory *memory = memories[view.memory])
    return {memory, view.offset, view.size};
  const Place &bound = open->memories[view.memory].place;
  return {bound.memory, bound.offset + view.offset, std::min(view.size, bound.size - view.offset)};
}
