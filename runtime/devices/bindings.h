// bindings.h - open memories: entries of a list of memories that are null when launches are recorded. Each replay of
// the launches binds an allocation to each open memory.
#ifndef HEDDLE_DEVICES_BINDINGS_H
#define HEDDLE_DEVICES_BINDINGS_H

#include "heddle/device.h"

#include <memory>

namespace heddle {

// A range of bytes in a device allocation.
struct Place {
  heddle_memory *memory;
  uint64_t offset, size;
};

// The bindings of a replay, an array of `count` elements.
struct Bindings {
  const heddle_binding *bindings;
  uint64_t count;
};

// The open memories of recorded launches, with copies of all launches, because a driver may record the launches again.
struct OpenMemories {
  uint64_t memoryCount = 0, launchCount = 0;
  std::unique_ptr<heddle_launch[]> launches; // their views point into `views`
  std::unique_ptr<heddle_view[]> views;      // the views of buffers and of workgroup counts
  // The properties of an open memory: `needed`, the minimum size of its binding (the largest offset of a view plus 1; 0
  // if it has no view); `longest`, the size of its longest view; `place`, its current binding; and `number`, the number
  // of the bound allocation (heddle_memory::number), which distinguishes allocations that have had the same address.
  struct Memory {
    uint64_t needed = 0, longest = 0, number = 0;
    Place place = {};
  };
  std::unique_ptr<Memory[]> memories; // an element for each memory of the list, open or not
  bool isBound = false;               // whether the driver has recorded the current bindings

  // Copies the launches; `buffers` contains the number of views of each kernel.
  heddle_status create(heddle_memory *const *memories, uint64_t memoryCount, const heddle_launch *launches,
                       uint64_t launchCount, const uint64_t *buffers);
  // Returns whether `bindings` equal the current bindings.
  bool isSame(Bindings bindings) const;
  // Makes `bindings` the current bindings.
  void take(Bindings bindings);
};

// Whether an entry of the list is null, that is, an open memory.
bool hasOpen(heddle_memory *const *memories, uint64_t count);

} // namespace heddle

#endif // HEDDLE_DEVICES_BINDINGS_H
