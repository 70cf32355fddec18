//===- FaultyVulkan.cpp - a faulty Vulkan loader --------------------------===//
//
// For each function of Vulkan that Heddle uses, there is a wrapper. If the
// function returns a VkResult, the wrapper counts the call and can make it fail.
// All other calls are forwarded, either to the installed loader or to a function
// below that changes arguments or results.
//
//===----------------------------------------------------------------------===//

#include "FaultyVulkan.h"

#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>

using namespace faulty;

Vulkan &faulty::vulkan() {
  static Vulkan vulkan;
  return vulkan;
}

namespace {

#define EACH_FUNCTION(X) HEDDLE_VULKAN_GLOBAL(X) HEDDLE_VULKAN_INSTANCE(X) HEDDLE_VULKAN_DEVICE(X)

enum Function {
#define NUMBER(name) number_##name,
  EACH_FUNCTION(NUMBER)
#undef NUMBER
      functionCount
};
constexpr std::string_view names[] = {
#define NAME(name) #name,
    EACH_FUNCTION(NAME)
#undef NAME
};
std::atomic<PFN_vkVoidFunction> originals[functionCount]; // the functions of the installed loader

template <typename Pointer> Pointer original(Function function) {
  return reinterpret_cast<Pointer>(originals[function].load());
}
#define ORIGINAL(name) original<PFN_##name>(number_##name)

// If Vulkan::staged is set, the device reports two memory types: one that only the device can access, and one that the
// host can access, too.
enum Shown { DeviceOnly, Host };
constexpr VkMemoryPropertyFlags shown[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
std::atomic<uint32_t> meant[2]; // the index of the real memory type for each reported type

void getMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties) {
  ORIGINAL(vkGetPhysicalDeviceMemoryProperties)(device, properties);
  for (uint32_t i = 0; vulkan().heapSize && i < properties->memoryHeapCount; ++i)
    properties->memoryHeaps[i].size = vulkan().heapSize;
  if (!vulkan().staged)
    return;
  VkPhysicalDeviceMemoryProperties real = *properties;
  properties->memoryTypeCount = 2;
  for (int kind : {DeviceOnly, Host})
    for (uint32_t i = real.memoryTypeCount; i-- > 0;)
      if ((real.memoryTypes[i].propertyFlags & shown[kind]) == shown[kind]) {
        meant[kind] = i;
        properties->memoryTypes[kind] = {shown[kind], real.memoryTypes[i].heapIndex};
      }
}

void getProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties) {
  ORIGINAL(vkGetPhysicalDeviceProperties2)(device, properties);
  if (vulkan().changeLimits)
    vulkan().changeLimits(properties->properties.limits);
  for (auto *next = static_cast<VkBaseOutStructure *>(properties->pNext); vulkan().noFloatControls && next;
       next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES)
      reinterpret_cast<VkPhysicalDeviceFloatControlsProperties *>(next)->shaderSignedZeroInfNanPreserveFloat32 = 0;
}

void getQueueFamilies(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *families) {
  ORIGINAL(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, families);
  for (uint32_t i = 0; families && vulkan().noTimers && i < *count; ++i)
    families[i].timestampValidBits = 0;
}

void getFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features) {
  ORIGINAL(vkGetPhysicalDeviceFeatures2)(device, features);
  if (vulkan().changeFeatures)
    vulkan().changeFeatures(features->features);
}

void getBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *requirements) {
  ORIGINAL(vkGetBufferMemoryRequirements)(device, buffer, requirements);
  if (vulkan().staged)
    requirements->memoryTypeBits = 1 << DeviceOnly | 1 << Host;
}

VkResult allocateMemory(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
                        VkDeviceMemory *memory) {
  if (!vulkan().staged)
    return ORIGINAL(vkAllocateMemory)(device, info, callbacks, memory);
  VkMemoryAllocateInfo real = *info;
  real.memoryTypeIndex = meant[info->memoryTypeIndex];
  VkResult result = ORIGINAL(vkAllocateMemory)(device, &real, callbacks, memory);
  std::lock_guard<std::mutex> lock(vulkan().mutex);
  if (result == VK_SUCCESS)
    info->memoryTypeIndex == DeviceOnly ? (void)vulkan().deviceOnly.insert(*memory)
                                        : (void)vulkan().deviceOnly.erase(*memory);
  return result;
}

VkResult mapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags flags, void **address) {
  std::lock_guard<std::mutex> lock(vulkan().mutex);
  if (vulkan().staged && vulkan().deviceOnly.count(memory))
    return VK_ERROR_MEMORY_MAP_FAILED;
  return ORIGINAL(vkMapMemory)(device, memory, offset, size, flags, address);
}

VkResult enumerateInstanceVersion(uint32_t *version) {
  *version = vulkan().version;
  return VK_SUCCESS;
}

VkResult enumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices) {
  if (!vulkan().noDevices)
    return ORIGINAL(vkEnumeratePhysicalDevices)(instance, count, devices);
  *count = 0;
  return VK_SUCCESS;
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char *name);

// Calls the function of this file that replaces a function of Vulkan (isOurs).
template <Function function, typename... A> auto pass(A... arguments) {
  if constexpr (function == number_vkGetPhysicalDeviceMemoryProperties)
    return getMemoryProperties(arguments...);
  else if constexpr (function == number_vkGetPhysicalDeviceProperties2)
    return getProperties(arguments...);
  else if constexpr (function == number_vkGetPhysicalDeviceFeatures2)
    return getFeatures(arguments...);
  else if constexpr (function == number_vkGetPhysicalDeviceQueueFamilyProperties)
    return getQueueFamilies(arguments...);
  else if constexpr (function == number_vkGetBufferMemoryRequirements)
    return getBufferMemoryRequirements(arguments...);
  else if constexpr (function == number_vkAllocateMemory)
    return allocateMemory(arguments...);
  else if constexpr (function == number_vkMapMemory)
    return mapMemory(arguments...);
  else if constexpr (function == number_vkEnumerateInstanceVersion)
    return enumerateInstanceVersion(arguments...);
  else if constexpr (function == number_vkEnumeratePhysicalDevices)
    return enumeratePhysicalDevices(arguments...);
  else if constexpr (function == number_vkGetDeviceProcAddr)
    return getDeviceProcAddr(arguments...);
}

// Returns whether this file replaces the function. All other functions are forwarded to the installed loader.
constexpr bool isOurs(Function function) {
  for (Function ours : {number_vkGetPhysicalDeviceMemoryProperties, number_vkGetPhysicalDeviceProperties2,
                        number_vkGetPhysicalDeviceFeatures2, number_vkGetPhysicalDeviceQueueFamilyProperties,
                        number_vkGetBufferMemoryRequirements, number_vkAllocateMemory, number_vkMapMemory,
                        number_vkEnumerateInstanceVersion, number_vkEnumeratePhysicalDevices,
                        number_vkGetDeviceProcAddr})
    if (function == ours)
      return true;
  return false;
}

constexpr bool startsWith(Function function, std::string_view with) {
  return names[function].substr(0, with.size()) == with;
}

// The wrapper of a function. Counts calls and objects, and makes the chosen call fail.
template <Function function, typename Pointer> struct Wrapper;
template <Function function, typename R, typename... A> struct Wrapper<function, R(VKAPI_PTR *)(A...)> {
  static R VKAPI_CALL call(A... arguments) {
    if constexpr (std::is_same_v<R, VkResult>)
      if (vulkan().calls++ == vulkan().failing ||
          (names[function] == vulkan().failingFunction && vulkan().passing-- <= 0)) {
        vulkan().failed = names[function];
        return vulkan().result;
      }
    if constexpr (startsWith(function, "vkDestroy") || startsWith(function, "vkFree")) {
      // The destroyed object is the last argument but one, after the device (if any) and before the callbacks.
      auto all = std::make_tuple(arguments...);
      vulkan().alive -= std::get<sizeof...(A) - 2>(all) != VK_NULL_HANDLE;
    }
    auto passed = [&] {
      if constexpr (isOurs(function))
        return pass<function>(arguments...);
      else
        return original<R(VKAPI_PTR *)(A...)>(function)(arguments...);
    };
    if constexpr (std::is_same_v<R, VkResult>) {
      VkResult result = passed();
      vulkan().alive +=
          result == VK_SUCCESS && (startsWith(function, "vkCreate") || function == number_vkAllocateMemory);
      return result;
    } else {
      return passed();
    }
  }
};

// Returns the wrapper of the function with this name, or NULL if Heddle does not use the function or if it is
// Vulkan::missing. `find` returns the function of the installed loader.
template <typename Find> PFN_vkVoidFunction wrap(const char *name, Find find) {
  if (name == vulkan().missing)
    return nullptr;
#define WRAP(function)                                                                                                 \
  if (strcmp(name, #function) == 0) {                                                                                  \
    originals[number_##function] = find(name);                                                                         \
    return reinterpret_cast<PFN_vkVoidFunction>(Wrapper<number_##function, PFN_##function>::call);                     \
  }
  EACH_FUNCTION(WRAP)
#undef WRAP
  return nullptr;
}

PFN_vkVoidFunction getDeviceProcAddr(VkDevice device, const char *name) {
  return wrap(name, [&](const char *name) { return ORIGINAL(vkGetDeviceProcAddr)(device, name); });
}

} // namespace

PFN_vkVoidFunction VKAPI_CALL faulty::getInstanceProcAddr(VkInstance instance, const char *name) {
  PFN_vkGetInstanceProcAddr real = vulkan().find();
  return wrap(name, [&](const char *name) { return real(instance, name); });
}

heddle_device *faulty::open() {
  if (!heddle::findVulkan())
    return nullptr;
  heddle::Driver *driver = heddle::openVulkanWith(getInstanceProcAddr, "0");
  return driver ? &driver->table : nullptr;
}
