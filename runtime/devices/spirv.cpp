//===- spirv.cpp - checks and rewrites SPIR-V modules ---------------------===//
//
// A module has a header of five words, followed by instructions. The first word of an instruction contains its length
// and its opcode; the operands follow. The numbers in this file are defined by the SPIR-V specification.
//
//===----------------------------------------------------------------------===//

#include "spirv.h"

#include <inttypes.h>
#include <new>
#include <string.h>

using namespace heddle;

namespace {
enum { OpExtension = 10, OpEntryPoint = 15, OpExecutionMode = 16, OpCapability = 17 };
enum { OpFunction = 54, OpFunctionEnd = 56 };
enum { GLCompute = 5, LocalSize = 17 };
constexpr uint32_t magic = 0x07230203;

// A capability that a module may declare.
struct Capability {
  uint32_t number;  // the number in the SPIR-V specification
  uint64_t feature; // the bit of enum heddle_device_features that the device needs; 0: none
};
constexpr Capability capabilities[] = {
    {0, 0}, // Matrix
    {1, 0}, // Shader
    {9, HEDDLE_FEATURE_FLOAT16},
    {10, HEDDLE_FEATURE_FLOAT64},
    {11, HEDDLE_FEATURE_INT64},
    {22, HEDDLE_FEATURE_INT16},
    {39, HEDDLE_FEATURE_INT8},
    {61, HEDDLE_FEATURE_SUBGROUP_BASIC},
    {62, HEDDLE_FEATURE_SUBGROUP_VOTE},
    {63, HEDDLE_FEATURE_SUBGROUP_ARITHMETIC},
    {64, HEDDLE_FEATURE_SUBGROUP_BALLOT},
    {65, HEDDLE_FEATURE_SUBGROUP_SHUFFLE},
    {66, HEDDLE_FEATURE_SUBGROUP_SHUFFLE_RELATIVE},
    {67, HEDDLE_FEATURE_SUBGROUP_CLUSTERED},
    {68, HEDDLE_FEATURE_SUBGROUP_QUAD},
    {4433, HEDDLE_FEATURE_STORAGE16},
    {4448, HEDDLE_FEATURE_STORAGE8},
    {4464, 0}, // float controls are accepted on all devices: dropFloatControls removes those that a device lacks
    {4466, 0},
};

// An execution mode for float arithmetic, and the capability that it needs.
struct FloatControl {
  uint32_t capability, mode;
  uint64_t feature;
};
constexpr FloatControl floatControls[] = {
    {4464, 4459, HEDDLE_FEATURE_DENORM_PRESERVE},
    {4466, 4461, HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN},
};

// Calls visit(opcode, operands, count) for every instruction until visit returns a failure; `count` is the number of
// words of the operands. Refuses a module with an instruction that is empty or exceeds the module.
template <typename Visit> heddle_status eachInstruction(const SpirvModule &module, Visit visit) {
  const uint32_t *words = module.words;
  uint64_t count = module.size / 4;
  for (uint64_t at = 5; at < count;) {
    uint64_t length = words[at] >> 16;
    if (!length || length > count - at)
      return fail(HEDDLE_INVALID_ARGUMENT, "the SPIR-V is damaged at word %" PRIu64, at);
    if (auto status = visit(words[at] & 0xffff, words + at + 1, length - 1))
      return status;
    at += length;
  }
  return HEDDLE_OK;
}

// Whether the operands begin with this string and its terminating 0.
bool isText(const uint32_t *operands, uint64_t count, const char *text) {
  size_t size = strlen(text) + 1;
  return size <= count * 4 && memcmp(operands, text, size) == 0;
}
} // namespace

static heddle_status checkCapability(const Driver &driver, uint32_t number) {
  for (const Capability &capability : capabilities)
    if (capability.number == number) {
      if (!(capability.feature & ~driver.table.features))
        return HEDDLE_OK;
      return fail(HEDDLE_UNSUPPORTED_DEVICE, "the SPIR-V needs a feature that %s lacks: %s", driver.name,
                  heddle_feature_name(unsigned(__builtin_ctzll(capability.feature))));
    }
  return fail(HEDDLE_UNSUPPORTED_DEVICE, "the SPIR-V needs capability %u, which heddle supports on no device", number);
}

// Checks that the module defines the kernel and that both have the same numbers of threads in a workgroup.
static heddle_status checkKernel(const SpirvModule &module, const heddle_kernel &kernel) {
  uint32_t entry = 0; // the id of the kernel's function; ids are never 0
  bool sized = false, defined = false;
  auto status = eachInstruction(module, [&](uint32_t what, const uint32_t *operands, uint64_t count) {
    if (what == OpEntryPoint && count > 2 && operands[0] == GLCompute && isText(operands + 2, count - 2, kernel.name))
      entry = operands[1];
    if (what == OpExecutionMode && count == 5 && entry && operands[0] == entry && operands[1] == LocalSize)
      sized = operands[2] == kernel.threads[0] && operands[3] == kernel.threads[1] && operands[4] == kernel.threads[2];
    defined |= what == OpFunction && count == 4 && entry && operands[1] == entry;
    return HEDDLE_OK;
  });
  if (status)
    return status;
  if (!entry || !defined)
    return fail(HEDDLE_INVALID_ARGUMENT, "the SPIR-V has no kernel %s", kernel.name);
  return sized ? HEDDLE_OK
               : fail(HEDDLE_INVALID_ARGUMENT,
                      "%s: the number of threads in a workgroup differs from that in the SPIR-V", kernel.name);
}

// Checks the header, the version, the capabilities, and that the module ends after a function.
static heddle_status checkModule(const Driver &driver, const SpirvModule &module, uint32_t version) {
  const uint32_t *words = module.words;
  if (reinterpret_cast<uintptr_t>(words) % 4 || module.size % 4 || module.size < 20 || words[0] != magic)
    return fail(HEDDLE_INVALID_ARGUMENT, "the program is not SPIR-V, or not aligned to 4 bytes");
  if (words[1] > version)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "the program is SPIR-V %u.%u, but %s supports at most %u.%u", words[1] >> 16,
                words[1] >> 8 & 0xff, driver.name, version >> 16, version >> 8 & 0xff);
  uint32_t last = 0;
  auto status = eachInstruction(module, [&](uint32_t what, const uint32_t *operands, uint64_t count) {
    last = what;
    if (what == OpCapability && count == 1)
      return checkCapability(driver, operands[0]);
    return HEDDLE_OK;
  });
  if (!status && last != OpFunctionEnd)
    status = fail(HEDDLE_INVALID_ARGUMENT, "the SPIR-V ends within a function, or has no function");
  return status;
}

SpirvModule heddle::spirvOf(const heddle_program &program, const heddle_kernel &kernel) {
  CodeBytes code = codeOf(program, kernel);
  return {reinterpret_cast<const uint32_t *>(code.begin), code.size};
}

heddle_status heddle::checkSpirv(const Driver &driver, const heddle_program &program, uint32_t version) {
  SpirvModule checked = {};
  for (uint64_t i = 0; i < program.kernel_count; ++i) {
    SpirvModule module = spirvOf(program, program.kernels[i]);
    if (module.words != checked.words || module.size != checked.size)
      if (auto status = checkModule(driver, module, version))
        return status;
    checked = module;
    if (auto status = checkKernel(module, program.kernels[i]))
      return status;
  }
  return HEDDLE_OK;
}

heddle_status heddle::dropFloatControls(uint64_t kept, SpirvModule &module, std::unique_ptr<uint32_t[]> &words) {
  auto isDropped = [&](uint32_t FloatControl::*number, uint32_t value) {
    for (const FloatControl &control : floatControls)
      if (control.*number == value)
        return !(control.feature & kept);
    return false;
  };
  words.reset(new (std::nothrow) uint32_t[module.size / 4]);
  if (!words)
    return failOutOfHostMemory();
  memcpy(words.get(), module.words, 5 * 4);
  uint64_t used = 5;
  auto status = eachInstruction(module, [&](uint32_t what, const uint32_t *operands, uint64_t count) {
    if ((what == OpCapability && count == 1 && isDropped(&FloatControl::capability, operands[0])) ||
        (what == OpExtension && !(kept & floatControlFeatures) && isText(operands, count, "SPV_KHR_float_controls")) ||
        (what == OpExecutionMode && count > 1 && isDropped(&FloatControl::mode, operands[1])))
      return HEDDLE_OK;
    memcpy(words.get() + used, operands - 1, (count + 1) * 4);
    used += count + 1;
    return HEDDLE_OK;
  });
  module = {words.get(), used * 4};
  return status;
}
