// ptx.h - reads the target of a PTX text: its PTX version and its architecture.
#ifndef HEDDLE_DEVICES_PTX_H
#define HEDDLE_DEVICES_PTX_H

#include "driver.h"

namespace heddle {

struct PtxTarget {
  unsigned version = 0;      // the version of PTX: 78 is 7.8
  unsigned architecture = 0; // 90 is sm_90
  char suffix = 0;           // 'a': this architecture only; 'f': its family; 0: also all later architectures
};

// Reads the directives .version and .target, with which a PTX text begins.
heddle_status readPtxTarget(const char *text, uint64_t size, PtxTarget &target);

// Refuses PTX that a device of this architecture cannot run. `device` is the name of the device in the error.
heddle_status checkPtxTarget(const PtxTarget &target, unsigned architecture, const char *device);

} // namespace heddle

#endif // HEDDLE_DEVICES_PTX_H
