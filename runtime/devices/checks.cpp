//===- checks.cpp - checks of arguments against a device's limits ---------===//

#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

using namespace heddle;

// Returns an error for kernel `name` if `needed`, an amount of `what`, exceeds the device's limit.
static heddle_status checkLimit(const Driver &driver, const char *name, const char *what, uint64_t needed,
                                uint64_t limit) {
  if (needed <= limit)
    return HEDDLE_OK;
  return fail(HEDDLE_UNSUPPORTED_DEVICE, "%s: %" PRIu64 " %s, but %s supports at most %" PRIu64, name, needed, what,
              driver.name, limit);
}

static heddle_status checkKernel(const Driver &driver, const heddle_program &program, const heddle_kernel &kernel) {
  if (!kernel.name || !*kernel.name)
    return fail(HEDDLE_INVALID_ARGUMENT, "a kernel has no name");
  if (!liesWithin(kernel.code_offset, kernel.code_size, program.size))
    return fail(HEDDLE_INVALID_ARGUMENT, "%s: its code lies outside the program's code", kernel.name);
  const heddle_device_limits &limits = driver.limits;
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (!kernel.threads[i])
      return fail(HEDDLE_INVALID_ARGUMENT, "%s: a workgroup has no threads", kernel.name);
    if (auto status = checkLimit(driver, kernel.name, "threads in one dimension of a workgroup", kernel.threads[i],
                                 limits.workgroup_size[i]))
      return status;
    threads *= kernel.threads[i];
    if (auto status = checkLimit(driver, kernel.name, "threads in a workgroup", threads, limits.workgroup_threads))
      return status;
  }
  if (auto status = checkLimit(driver, kernel.name, "bytes of workgroup memory", kernel.workgroup_memory,
                               limits.workgroup_memory))
    return status;
  return checkLimit(driver, kernel.name, "buffers", kernel.buffers, limits.buffers);
}

static heddle_status checkFeatures(const Driver &driver, uint64_t needed) {
  uint64_t missing = needed & ~driver.table.features;
  if (!missing)
    return HEDDLE_OK;
  char names[256] = "";
  for (unsigned bit = 0; bit < 64; ++bit)
    if (missing >> bit & 1) {
      size_t used = strlen(names);
      const char *name = heddle_feature_name(bit);
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
               name ? name : "a feature of a later version of heddle");
    }
  return fail(HEDDLE_UNSUPPORTED_DEVICE, "the program needs a feature that %s lacks: %s", driver.name, names);
}

heddle_status heddle::checkProgram(const Driver &driver, const heddle_program *program) {
  if (!program || !program->format || !program->bytes || !program->size || !program->kernels || !program->kernel_count)
    return fail(HEDDLE_INVALID_ARGUMENT, "the program has no format, no code or no kernels");
  if (strcmp(program->format, driver.table.format) != 0)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "the format of the program is %s, but %s loads only %s", program->format,
                driver.name, driver.table.format);
  if (auto status = checkFeatures(driver, program->features))
    return status;
  for (uint64_t i = 0; i < program->kernel_count; ++i)
    if (auto status = checkKernel(driver, *program, program->kernels[i]))
      return status;
  return HEDDLE_OK;
}

// Checks a view, the memory range of buffer `buffer` of launch `launch`. `memories` is the list of memories to which
// views refer by index.
static heddle_status checkView(const Driver &driver, heddle_memory *const *memories, uint64_t memoryCount,
                               const heddle_view &view, uint64_t launch, uint64_t buffer) {
  auto refuse = [&](const char *why) {
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ", buffer %" PRIu64 ": %s", launch, buffer, why);
  };
  if (view.memory >= memoryCount)
    return refuse("the index of its memory is out of range");
  if (view.offset % driver.limits.alignment)
    return refuse("its offset is not a multiple of the device's alignment");
  if (!view.size)
    return refuse("its size is 0");
  if (!memories[view.memory]) // an open memory: checkBindings checks the view when the memory is bound
    return liesWithin(view.offset, view.size, UINT64_MAX) ? HEDDLE_OK : refuse("it lies outside any memory");
  if (!liesWithin(view.offset, view.size, memories[view.memory]->size))
    return refuse("it lies outside its memory");
  if (view.size > driver.limits.view_size)
    return fail(HEDDLE_UNSUPPORTED_DEVICE,
                "launch %" PRIu64 ", buffer %" PRIu64 ": %" PRIu64
                " bytes, but a kernel on %s can access at most %" PRIu64,
                launch, buffer, view.size, driver.name, driver.limits.view_size);
  return HEDDLE_OK;
}

static heddle_status checkLaunch(const Driver &driver, const heddle_code &code, const heddle_launch &launch,
                                 uint64_t index) {
  if (launch.kernel >= code.kernelCount)
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ": there is no kernel %" PRIu64, index, launch.kernel);
  if (!launch.views && code.buffers[launch.kernel])
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ": the pointer to its views is NULL", index);
  for (int i = 0; i < 3; ++i) {
    if (!launch.groups[i])
      return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ": the number of its workgroups is 0", index);
    if (launch.groups[i] > driver.limits.workgroup_count[i])
      return fail(HEDDLE_UNSUPPORTED_DEVICE,
                  "launch %" PRIu64 ": %" PRIu64 " workgroups in dimension %d, but %s supports at most %" PRIu64, index,
                  launch.groups[i], i, driver.name, driver.limits.workgroup_count[i]);
  }
  return HEDDLE_OK;
}

// Checks the view of the numbers of workgroups of launch `launch`, three 32-bit integers that an earlier kernel may
// write.
static heddle_status checkCounts(heddle_memory *const *memories, uint64_t memoryCount, const heddle_view &counts,
                                 uint64_t launch) {
  if (counts.memory >= memoryCount)
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ", counts: the index of their memory is out of range",
                launch);
  if (counts.offset % 4 || counts.size != 12)
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ", counts: expected 12 bytes at a multiple of 4", launch);
  if (!memories[counts.memory])
    return fail(HEDDLE_INVALID_ARGUMENT,
                "launch %" PRIu64 ", counts: their memory is open, expected one that is given at recording", launch);
  if (!liesWithin(counts.offset, counts.size, memories[counts.memory]->size))
    return fail(HEDDLE_INVALID_ARGUMENT, "launch %" PRIu64 ", counts: they lie outside their memory", launch);
  return HEDDLE_OK;
}

heddle_status heddle::checkLaunches(const Driver &driver, const heddle_code *code, heddle_memory *const *memories,
                                    uint64_t memoryCount, const heddle_launch *launches, uint64_t launchCount) {
  if (!code || (!memories && memoryCount) || (!launches && launchCount))
    return fail(HEDDLE_INVALID_ARGUMENT, "the code, the memories or the launches are missing");
  if (code->driver != &driver)
    return fail(HEDDLE_INVALID_ARGUMENT, "the code was loaded on another device");
  for (uint64_t i = 0; i < memoryCount; ++i)
    if (memories[i] && memories[i]->driver != &driver)
      return fail(HEDDLE_INVALID_ARGUMENT, "memory %" PRIu64 " does not belong to this device", i);
  for (uint64_t i = 0; i < launchCount; ++i) {
    if (auto status = checkLaunch(driver, *code, launches[i], i))
      return status;
    if (const heddle_view *counts = launches[i].counts)
      if (auto status = checkCounts(memories, memoryCount, *counts, i))
        return status;
    for (uint64_t j = 0; j < code->buffers[launches[i].kernel]; ++j)
      if (auto status = checkView(driver, memories, memoryCount, launches[i].views[j], i, j))
        return status;
  }
  return HEDDLE_OK;
}

// Checks a copy between two memories of the device.
static heddle_status checkOther(const heddle_launches &recorded, const heddle_copy &copy, uint64_t index) {
  if (copy.host)
    return fail(HEDDLE_INVALID_ARGUMENT,
                "copy %" PRIu64 ": it has an address on the host and another memory, expected one of them", index);
  if (copy.other->driver != recorded.driver)
    return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": the other memory does not belong to this device", index);
  if (!liesWithin(copy.other_offset, copy.size, copy.other->size))
    return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": it lies outside the other memory", index);
  if (copy.other == recorded.memories[copy.memory] && copy.offset < copy.other_offset + copy.size &&
      copy.other_offset < copy.offset + copy.size)
    return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": its source and its destination overlap", index);
  return HEDDLE_OK;
}

heddle_status heddle::checkCopies(const heddle_launches &recorded, Copies copies) {
  if (!copies.copies && copies.count)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer to the copies is NULL");
  uint64_t left = recorded.staging; // the bytes of staging memory that earlier copies have not used
  for (uint64_t i = 0; i < copies.count; ++i) {
    const heddle_copy &copy = copies.copies[i];
    if (copy.memory >= recorded.memoryCount)
      return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": there is no memory %" PRIu64, i, copy.memory);
    if (!recorded.memories[copy.memory])
      return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": memory %" PRIu64 " is open, so it cannot be copied", i,
                  copy.memory);
    if (!copy.host && !copy.other && copy.size)
      return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": the address on the host is NULL", i);
    if (!liesWithin(copy.offset, copy.size, recorded.memories[copy.memory]->size))
      return fail(HEDDLE_INVALID_ARGUMENT, "copy %" PRIu64 ": it lies outside its memory", i);
    if (copy.other) {
      if (auto status = checkOther(recorded, copy, i))
        return status;
      continue;
    }
    if (copy.size > left)
      return fail(HEDDLE_INVALID_ARGUMENT,
                  "copy %" PRIu64 ": the copies need more staging memory than was reserved at recording", i);
    left -= copy.size;
  }
  return HEDDLE_OK;
}

static heddle_status checkBinding(const heddle_launches &recorded, const heddle_binding &binding, uint64_t index) {
  auto refuse = [&](const char *why) {
    return fail(HEDDLE_INVALID_ARGUMENT, "binding %" PRIu64 ": %s", index, why);
  };
  const Driver &driver = *recorded.driver;
  if (!recorded.open || binding.memory >= recorded.memoryCount || recorded.memories[binding.memory])
    return refuse("its index `memory` is not that of an open memory");
  if (!binding.bound || binding.bound->driver != &driver)
    return refuse("the bound memory does not belong to this device");
  if (binding.offset % driver.limits.alignment)
    return refuse("its offset is not a multiple of the device's alignment");
  if (!binding.size || !liesWithin(binding.offset, binding.size, binding.bound->size))
    return refuse("its size is 0, or it lies outside the bound memory");
  const OpenMemories::Memory &memory = recorded.open->memories[binding.memory];
  if (binding.size < memory.needed)
    return refuse("a view begins after the end of the binding");
  // A view that exceeds the binding ends with the binding.
  uint64_t longest = memory.longest < binding.size ? memory.longest : binding.size;
  if (longest > driver.limits.view_size)
    return fail(HEDDLE_UNSUPPORTED_DEVICE,
                "binding %" PRIu64 ": %" PRIu64 " bytes, but a kernel on %s can access at most %" PRIu64, index,
                longest, driver.name, driver.limits.view_size);
  return HEDDLE_OK;
}

heddle_status heddle::checkBindings(const heddle_launches &recorded, Bindings bindings) {
  if (!bindings.bindings && bindings.count)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer to the bindings is NULL");
  for (uint64_t i = 0; i < bindings.count; ++i)
    if (auto status = checkBinding(recorded, bindings.bindings[i], i))
      return status;
  for (uint64_t memory = 0; recorded.open && memory < recorded.memoryCount; ++memory) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < bindings.count; ++i)
      count += bindings.bindings[i].memory == memory;
    if (count > 1 || (!count && recorded.open->memories[memory].needed))
      return fail(HEDDLE_INVALID_ARGUMENT, "open memory %" PRIu64 " is %s", memory,
                  count ? "bound twice" : "not bound");
  }
  return HEDDLE_OK;
}
