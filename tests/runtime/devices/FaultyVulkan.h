// FaultyVulkan.h - a loader of Vulkan between ours and the one that is installed: it lets calls fail, leaves functions
// out, and shows a device as others are.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H
#define HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H

#include "devices/vulkan/vulkan.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace faulty {

// What is asked of the loader; one for the process. Changed only while no device is open.
struct Vulkan {
  PFN_vkGetInstanceProcAddr (*find)() = heddle::findVulkan; // the one that is installed

  int64_t failing = -1;                  // the call that returns a VkResult and has this number, from 0, fails
  VkResult result = VK_ERROR_UNKNOWN;    // with this
  std::string failingFunction;           // so does each call of this function
  std::atomic<int64_t> passing{0};       // after so many
  std::string missing;                   // a function that there is not
  uint32_t version = VK_API_VERSION_1_3; // of the loader
  bool noDevices = false;
  std::function<void(VkPhysicalDeviceLimits &)> changeLimits; // what the device says that it can do
  std::function<void(VkPhysicalDeviceFeatures &)> changeFeatures;
  bool noTimers = false;
  bool noFloatControls = false; // it promises nothing of NaN
  uint64_t heapSize = 0; // of all its memory; 0: what there is
  std::atomic<bool> staged{false}; // the device's memory is not the host's
  std::string failed;              // the function that failed
  std::atomic<int64_t> calls{0};   // that return a VkResult
  std::atomic<int64_t> alive{0};   // what was made and not destroyed

  std::mutex mutex;
  std::set<VkDeviceMemory> deviceOnly; // where `staged`
};
Vulkan &vulkan();

// Its entry, as libvulkan.so.1 has it.
PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char *name);

// Opens vulkan:0 through it; NULL on failure, with the reason in heddle::lastError().
heddle_device *open();

} // namespace faulty

#endif // HEDDLE_TESTS_DEVICES_FAULTYVULKAN_H
