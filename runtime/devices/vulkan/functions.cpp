//===- functions.cpp - Vulkan's functions and their results ---------------===//

#include "functions.h"

using namespace heddle;

// Loads all available functions even if a function is missing, because cleanup needs the functions that destroy
// objects.
#define HEDDLE_LOAD(name)                                                                                              \
  if (!(functions.name = reinterpret_cast<PFN_##name>(find(#name))))                                                   \
    missing = #name;

static heddle_status checkMissing(const char *missing) {
  return missing ? fail(HEDDLE_UNSUPPORTED_DEVICE, "Vulkan's driver has no %s", missing) : HEDDLE_OK;
}

heddle_status heddle::load(VulkanGlobals &functions, PFN_vkGetInstanceProcAddr loader) {
  const char *missing = nullptr;
  auto find = [&](const char *name) { return loader(nullptr, name); };
  HEDDLE_VULKAN_GLOBAL(HEDDLE_LOAD)
  return checkMissing(missing);
}

heddle_status heddle::load(VulkanInstanceFunctions &functions, PFN_vkGetInstanceProcAddr loader, VkInstance instance) {
  const char *missing = nullptr;
  auto find = [&](const char *name) { return loader(instance, name); };
  HEDDLE_VULKAN_INSTANCE(HEDDLE_LOAD)
  return checkMissing(missing);
}

heddle_status heddle::load(VulkanDeviceFunctions &functions, PFN_vkGetDeviceProcAddr loader, VkDevice device) {
  const char *missing = nullptr;
  auto find = [&](const char *name) { return loader(device, name); };
  HEDDLE_VULKAN_DEVICE(HEDDLE_LOAD)
  return checkMissing(missing);
}
#undef HEDDLE_LOAD

heddle_status heddle::check(VkResult result, const char *function) {
  struct Failure {
    VkResult result;
    heddle_status status;
    const char *words;
  };
  static constexpr Failure failures[] = {
      {VK_ERROR_OUT_OF_HOST_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "the host is out of memory"},
      {VK_ERROR_OUT_OF_DEVICE_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "the device is out of memory"},
      {VK_ERROR_OUT_OF_POOL_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "the pool is out of memory"},
      {VK_ERROR_FRAGMENTED_POOL, HEDDLE_OUT_OF_DEVICE_MEMORY, "the pool is fragmented"},
      {VK_ERROR_TOO_MANY_OBJECTS, HEDDLE_OUT_OF_DEVICE_MEMORY, "too many objects"},
      {VK_ERROR_MEMORY_MAP_FAILED, HEDDLE_DEVICE_ERROR, "the memory cannot be mapped"},
      {VK_ERROR_DEVICE_LOST, HEDDLE_DEVICE_LOST, "the device is lost"},
      {VK_ERROR_INITIALIZATION_FAILED, HEDDLE_DEVICE_ERROR, "initialisation failed"},
      {VK_ERROR_INCOMPATIBLE_DRIVER, HEDDLE_UNSUPPORTED_DEVICE, "no driver was found"},
      {VK_ERROR_LAYER_NOT_PRESENT, HEDDLE_UNSUPPORTED_DEVICE, "a layer is missing"},
      {VK_ERROR_EXTENSION_NOT_PRESENT, HEDDLE_UNSUPPORTED_DEVICE, "an extension is missing"},
      {VK_ERROR_FEATURE_NOT_PRESENT, HEDDLE_UNSUPPORTED_DEVICE, "a feature is missing"},
      {VK_ERROR_INVALID_SHADER_NV, HEDDLE_DEVICE_ERROR, "the driver refuses the code"},
  };
  if (result == VK_SUCCESS)
    return HEDDLE_OK;
  for (const Failure &failure : failures)
    if (failure.result == result)
      return fail(failure.status, "%s: %s", function, failure.words);
  return fail(HEDDLE_DEVICE_ERROR, "%s: VkResult %d", function, int(result));
}
