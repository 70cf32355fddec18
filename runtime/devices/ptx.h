// ptx.h - what a text of PTX says that it is for.
#ifndef HEDDLE_DEVICES_PTX_H
#define HEDDLE_DEVICES_PTX_H

#include "driver.h"

namespace heddle {

struct PtxTarget {
  unsigned version = 0;      // of the language: 78 is 7.8
  unsigned architecture = 0; // 90: sm_90
  char suffix = 0;           // 'a': of this architecture alone; 'f': of its family; 0: of this and all later ones
};

// By the directives .version and .target that each text begins with, behind comments.
heddle_status readPtxTarget(const char *text, uint64_t size, PtxTarget &target);

// Refuses what a device of that architecture, by this name, cannot run.
heddle_status checkPtxTarget(const PtxTarget &target, unsigned architecture, const char *device);

} // namespace heddle

#endif // HEDDLE_DEVICES_PTX_H
