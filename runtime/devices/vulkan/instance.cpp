//===- instance.cpp - finds Vulkan and lists devices ----------------------===//

#include "instance.h"

#include <algorithm>
#include <dlfcn.h>
#include <new>
#include <stdio.h>
#include <string.h>

using namespace heddle;

PFN_vkGetInstanceProcAddr heddle::findVulkan() {
  // The library is never closed, since threads and thread-local data of drivers continue to exist.
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(HEDDLE_UNSUPPORTED_DEVICE, "the Vulkan loader cannot be loaded: %s", dlerror());
    return nullptr;
  }
  void *entry = dlsym(library, "vkGetInstanceProcAddr");
  if (!entry)
    fail(HEDDLE_UNSUPPORTED_DEVICE, "the Vulkan loader cannot be used: libvulkan.so.1 has no vkGetInstanceProcAddr");
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(entry);
}

heddle_status VulkanInstance::open(PFN_vkGetInstanceProcAddr loader) {
  VulkanGlobals globals;
  if (auto status = load(globals, loader)) // fails for Vulkan 1.0, which has no vkEnumerateInstanceVersion
    return status;
  uint32_t offered = VK_API_VERSION_1_0;
  if (auto status = check(globals.vkEnumerateInstanceVersion(&offered), "vkEnumerateInstanceVersion"))
    return status;
  version = std::min<uint32_t>(offered, VK_API_VERSION_1_2);
  if (version < VK_API_VERSION_1_1)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "the version of Vulkan is older than 1.1");
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "heddle";
  application.apiVersion = version;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (auto status = check(globals.vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance"))
    return status;
  if (auto status = load(f, loader, instance))
    return status;
  if (auto status = check(f.vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices"))
    return status;
  devices.reset(new (std::nothrow) VkPhysicalDevice[count]);
  if (!devices)
    return failOutOfHostMemory();
  VkResult result = f.vkEnumeratePhysicalDevices(instance, &count, devices.get());
  if (result != VK_INCOMPLETE) // VK_INCOMPLETE means that a device was added after the count was read
    if (auto status = check(result, "vkEnumeratePhysicalDevices"))
      return status;
  return count ? HEDDLE_OK : fail(HEDDLE_UNSUPPORTED_DEVICE, "Vulkan lists no device");
}

VulkanInstance::~VulkanInstance() {
  if (f.vkDestroyInstance)
    f.vkDestroyInstance(instance, nullptr);
}

// Returns a lower rank for a type of device that is more capable.
static int rankOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  default:
    return 3;
  }
}

Candidate heddle::candidateOf(const VulkanInstance &instance, VkPhysicalDevice device) {
  VkPhysicalDeviceIDProperties id = {};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  instance.f.vkGetPhysicalDeviceProperties2(device, &properties);
  Candidate candidate = {};
  candidate.rank = rankOf(properties.properties.deviceType);
  snprintf(candidate.name, sizeof candidate.name, "%s", properties.properties.deviceName);
  writeUuid(id.deviceUUID, candidate.uuid);
  return candidate;
}
