// spirv.h - what a program of SPIR-V says of itself: drivers take its word for granted.
#ifndef HEDDLE_DEVICES_SPIRV_H
#define HEDDLE_DEVICES_SPIRV_H

#include "driver.h"

namespace heddle {

// That it is SPIR-V of this version at the latest (0x10300 is 1.3), asks for no capability that the device has not, and
// has the program's kernels with their threads. What kernels do, and which buffers they use, is not looked at.
heddle_status checkSpirv(const Driver &driver, const heddle_program &program, uint32_t version);

} // namespace heddle

#endif // HEDDLE_DEVICES_SPIRV_H
