// ptx.h - reads the target that a PTX text is for.
#ifndef HEDDLE_DEVICES_PTX_H
#define HEDDLE_DEVICES_PTX_H

#include "driver.h"

namespace heddle {

struct PtxTarget {
  unsigned version = 0;      // the version of PTX: 78 is 7.8
  unsigned architecture = 0; // 90 is sm_90
  char suffix = 0;           // 'a': runs on this architecture only; 'f': on its family; 0: on this and all later ones
};

// Reads the directives .version and .target, which are the first ones of a PTX text.
heddle_status readPtxTarget(const char *text, uint64_t size, PtxTarget &target);

// Refuses PTX that a device of this architecture cannot run. The error calls the device `device`.
heddle_status checkPtxTarget(const PtxTarget &target, unsigned architecture, const char *device);

} // namespace heddle

#endif // HEDDLE_DEVICES_PTX_H
