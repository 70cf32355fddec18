// checks.h - checks of arguments that apply to every kind of device. The functions `check...` return the status of an
// error, whose text is in lastError(), if the host program passed an invalid argument, or if the device's limits or
// features are insufficient.
#ifndef HEDDLE_DEVICES_CHECKS_H
#define HEDDLE_DEVICES_CHECKS_H

#include "driver.h"

namespace heddle {

// Checks a program before it is loaded.
heddle_status checkProgram(const Driver &driver, const heddle_program *program);
// Checks launches of the kernels in `code` before they are recorded. Entries of `memories` may be null: they are open,
// and each replay binds an allocation to them.
heddle_status checkLaunches(const Driver &driver, const heddle_code *code, heddle_memory *const *memories,
                            uint64_t memoryCount, const heddle_launch *launches, uint64_t launchCount);
// Check the allocations that a replay binds, and the copies in or the copies out that it performs.
heddle_status checkBindings(const heddle_launches &recorded, Bindings bindings);
heddle_status checkCopies(const heddle_launches &recorded, Copies copies);

// Whether the range of `size` bytes at `offset` lies within `total` bytes.
inline bool liesWithin(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

} // namespace heddle

#endif // HEDDLE_DEVICES_CHECKS_H
