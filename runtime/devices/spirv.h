// spirv.h - what a program of SPIR-V says of itself: drivers take its word for granted.
#ifndef HEDDLE_DEVICES_SPIRV_H
#define HEDDLE_DEVICES_SPIRV_H

#include "driver.h"

#include <memory>

namespace heddle {

struct SpirvModule {
  const uint32_t *words;
  uint64_t size; // bytes
};

SpirvModule spirvOf(const heddle_program &program, const heddle_kernel &kernel);

// That it is SPIR-V of this version at the latest (0x10300 is 1.3), asks for no capability that the device has not, and
// has the program's kernels with their threads. What kernels do, and which buffers they use, is not looked at.
// Each kernel's module is looked at, once where several lie in it.
heddle_status checkSpirv(const Driver &driver, const heddle_program &program, uint32_t version);

// What a module may ask for where its program does not need it.
constexpr uint64_t floatControlFeatures = HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN | HEDDLE_FEATURE_DENORM_PRESERVE;
// Makes of a module that was checked the same that asks for the `kept` of these alone, in words of its own.
heddle_status dropFloatControls(uint64_t kept, SpirvModule &module, std::unique_ptr<uint32_t[]> &words);

} // namespace heddle

#endif // HEDDLE_DEVICES_SPIRV_H
