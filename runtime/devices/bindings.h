// bindings.h - memories that are open when launches are recorded, and bound when they are replayed.
#ifndef HEDDLE_DEVICES_BINDINGS_H
#define HEDDLE_DEVICES_BINDINGS_H

#include "heddle/device.h"

#include <memory>

namespace heddle {

// Part of a memory.
struct Place {
  heddle_memory *memory;
  uint64_t offset, size;
};

struct Bindings {
  const heddle_binding *bindings;
  uint64_t count;
};

// Of launches of which a memory is open.
struct OpenMemories {
  uint64_t memoryCount = 0, launchCount = 0;
  std::unique_ptr<heddle_launch[]> launches; // with views of these:
  std::unique_ptr<heddle_view[]> views;      // and of counts
  // By memory: where the last of its views begins and 1, 0 where it has none; the longest of them; what it is, nothing
  // before it is bound, and the number of that memory, whose address a later one may have.
  struct Memory {
    uint64_t needed = 0, longest = 0, number = 0;
    Place place = {};
  };
  std::unique_ptr<Memory[]> memories;
  bool isBound = false; // the driver knows all of them

  // Takes copies; `buffers`: how many views each kernel has.
  heddle_status create(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                       uint64_t launchCount, const uint64_t *buffers);
  // Whether all is as it was bound last; else takes it.
  bool isSame(Bindings bindings) const;
  void take(Bindings bindings);
};

bool hasOpen(heddle_memory *const *memories, uint64_t count);

} // namespace heddle

#endif // HEDDLE_DEVICES_BINDINGS_H
