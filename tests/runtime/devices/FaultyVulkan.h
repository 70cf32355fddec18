// FaultyVulkan.h - a Vulkan loader for tests, between the code in runtime/devices/vulkan and the installed loader. It
// makes calls fail, omits functions, and changes the properties of the device.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H
#define HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H

#include "devices/vulkan/vulkan.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace faulty {

// The settings of the loader, and counts. There is one object for the process. While a device of this loader is open,
// tests change only `failing`, `result` and the counts.
struct Vulkan {
  PFN_vkGetInstanceProcAddr (*find)() = heddle::findVulkan; // returns the entry point of the installed loader

  // The number (from 0) of the call that fails, among the calls that return a VkResult; -1: no call fails.
  int64_t failing = -1;
  VkResult result = VK_ERROR_UNKNOWN;    // the result of the failing call
  std::string failingFunction;           // calls of this function fail as well, ...
  std::atomic<int64_t> passing{0};       // ... but this number of calls succeeds first
  std::string missing;                   // a function that is not found
  uint32_t version = VK_API_VERSION_1_3; // the version of the loader
  bool noDevices = false;                // the loader lists no device
  std::function<void(VkPhysicalDeviceLimits &)> changeLimits; // changes the reported limits
  std::function<void(VkPhysicalDeviceFeatures &)> changeFeatures;
  bool noTimers = false;        // the queues have no timestamps
  bool noFloatControls = false; // the device does not guarantee to preserve NaN, infinities and signs of zeros
  uint64_t heapSize = 0; // the size of each memory heap, in bytes; 0: the real sizes
  std::atomic<bool> staged{false}; // the host cannot access device memory
  std::string failed;              // the function that failed
  std::atomic<int64_t> calls{0};   // the number of calls that return a VkResult
  std::atomic<int64_t> alive{0};   // the number of objects that were not destroyed

  std::mutex mutex;                    // protects `deviceOnly`
  std::set<VkDeviceMemory> deviceOnly; // memories that the host cannot map if `staged` is set
};
Vulkan &vulkan();

// The entry point of the loader, like that of libvulkan.so.1.
PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char *name);

// Opens vulkan:0 through this loader; returns NULL on failure, with the reason in heddle::lastError().
heddle_device *open();

} // namespace faulty

#endif // HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H
