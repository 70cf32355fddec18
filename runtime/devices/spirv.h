// spirv.h - checks SPIR-V programs, because drivers assume that programs are valid and may crash otherwise.
#ifndef HEDDLE_DEVICES_SPIRV_H
#define HEDDLE_DEVICES_SPIRV_H

#include "driver.h"

#include <memory>

namespace heddle {

struct SpirvModule {
  const uint32_t *words;
  uint64_t size; // bytes
};

// Returns the module with the kernel's code. The module refers to the bytes of the program.
SpirvModule spirvOf(const heddle_program &program, const heddle_kernel &kernel);

// Checks that a program is SPIR-V of at most this version (0x10300 is 1.3), requires no capability that the device
// lacks, and defines the program's kernels with their numbers of threads. The code of kernels and their use of buffers
// are not checked. If successive kernels share a module, the module is checked once.
heddle_status checkSpirv(const Driver &driver, const heddle_program &program, uint32_t version);

// The features that a module may request although its program does not require them.
constexpr uint64_t floatControlFeatures = HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN | HEDDLE_FEATURE_DENORM_PRESERVE;
// Replaces a checked module by a copy, stored in `words`, that requests only the float controls in `kept` (bits of enum
// heddle_device_features).
heddle_status dropFloatControls(uint64_t kept, SpirvModule &module, std::unique_ptr<uint32_t[]> &words);

} // namespace heddle

#endif // HEDDLE_DEVICES_SPIRV_H
