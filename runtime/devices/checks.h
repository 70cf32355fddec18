// checks.h - checks of arguments that apply to every kind of device.
#ifndef HEDDLE_DEVICES_CHECKS_H
#define HEDDLE_DEVICES_CHECKS_H

#include "driver.h"

namespace heddle {

heddle_status checkProgram(const Driver &driver, const heddle_program *program);
heddle_status checkLaunches(const Driver &driver, const heddle_code *code, heddle_memory *const *memories,
                            uint64_t memoryCount, const heddle_launch *launches, uint64_t launchCount);
heddle_status checkBindings(const heddle_launches &recorded, Bindings bindings);
heddle_status checkCopies(const heddle_launches &recorded, Copies copies);

// Whether the range of `size` bytes at `offset` lies within `total` bytes.
inline bool liesWithin(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

} // namespace heddle

#endif // HEDDLE_DEVICES_CHECKS_H
