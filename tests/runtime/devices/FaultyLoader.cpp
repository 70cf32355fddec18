//===- FaultyLoader.cpp - a faulty libvulkan.so.1 -------------------------===//
//
// A program that loads this library uses it in place of the installed Vulkan
// loader; FaultyVulkan.cpp changes the behaviour. The environment variable
// HEDDLE_FAULTY_VULKAN may contain one of these settings. FUNCTION=RESULT makes
// each call of a function that returns a VkResult fail with this VkResult;
// FUNCTION=RESULT,N lets N calls succeed first. FUNCTION=missing removes a
// function. maxComputeSharedMemorySize=N, maxStorageBufferRange=N,
// maxComputeWorkGroupInvocations=N, shaderInt64=N (0 or 1) and heapSize=BYTES
// change limits and features of the device. noTimers=1, noFloatControls=1 and
// noDevices=1 remove timers, float controls and all devices. Without the
// variable, calls are forwarded unchanged to the installed loader, except that
// the version of the loader is always 1.3.
//
//===----------------------------------------------------------------------===//

#include "FaultyVulkan.h"

#include <cstdlib>
#include <dlfcn.h>

static PFN_vkGetInstanceProcAddr findInstalled() {
  void *library = dlopen(HEDDLE_TEST_VULKAN, RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr")) : nullptr;
}

// Applies the setting of the variable; returns false if the name is unknown.
static bool spoil(faulty::Vulkan &vulkan, const std::string &name, const std::string &value) {
  auto number = uint32_t(strtol(value.c_str(), nullptr, 10));
  if (name == "noDevices")
    vulkan.noDevices = true;
  else if (name == "noTimers")
    vulkan.noTimers = true;
  else if (name == "noFloatControls")
    vulkan.noFloatControls = true;
  else if (name == "heapSize")
    vulkan.heapSize = number;
  else if (name == "maxComputeSharedMemorySize")
    vulkan.changeLimits = [=](VkPhysicalDeviceLimits &limits) { limits.maxComputeSharedMemorySize = number; };
  else if (name == "maxStorageBufferRange")
    vulkan.changeLimits = [=](VkPhysicalDeviceLimits &limits) { limits.maxStorageBufferRange = number; };
  else if (name == "maxComputeWorkGroupInvocations")
    vulkan.changeLimits = [=](VkPhysicalDeviceLimits &limits) { limits.maxComputeWorkGroupInvocations = number; };
  else if (name == "shaderInt64")
    vulkan.changeFeatures = [=](VkPhysicalDeviceFeatures &features) { features.shaderInt64 = number; };
  else if (name.compare(0, 2, "vk") == 0 && value == "missing")
    vulkan.missing = name;
  else if (name.compare(0, 2, "vk") == 0)
    vulkan.failingFunction = name, vulkan.result = VkResult(int32_t(number));
  else
    return false;
  if (size_t comma = value.find(','); comma != std::string::npos)
    vulkan.passing = strtol(value.c_str() + comma + 1, nullptr, 10);
  return true;
}

static bool prepare() {
  faulty::vulkan().find = findInstalled;
  std::string wrong = getenv("HEDDLE_FAULTY_VULKAN") ? getenv("HEDDLE_FAULTY_VULKAN") : "";
  size_t equals = wrong.find('=');
  return wrong.empty() || (equals != std::string::npos &&
                           spoil(faulty::vulkan(), wrong.substr(0, equals), wrong.substr(equals + 1)));
}

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance,
                                                                                           const char *name) {
  static const bool prepared = prepare();
  if (!prepared)
    abort(); // an unknown setting would have no effect, so the test would check nothing
  return faulty::getInstanceProcAddr(instance, name);
}
