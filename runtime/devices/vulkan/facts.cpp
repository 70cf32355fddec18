//===- facts.cpp - facts of a physical Vulkan device ----------------------===//

#include "facts.h"

#include <algorithm>
#include <new>
#include <stdio.h>
#include <string.h>

using namespace heddle;

namespace {
// Whether the device extensions that Heddle uses are available. Vulkan 1.2 includes all of them.
struct Extensions {
  bool storage8 = false, float16Int8 = false, floatControls = false, driverProperties = false;
};
} // namespace

// Finds out which of the extensions are available on a device that does not support Vulkan 1.2, and adds their names to
// facts.extensions.
static heddle_status readExtensions(const VulkanInstance &instance, VkPhysicalDevice device, VulkanFacts &facts,
                                    Extensions &extensions) {
  uint32_t count = 0;
  auto list = [&](VkExtensionProperties *into) {
    VkResult result = instance.f.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, into);
    return check(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumerateDeviceExtensionProperties");
  };
  if (auto status = list(nullptr))
    return status;
  std::unique_ptr<VkExtensionProperties[]> properties(new (std::nothrow) VkExtensionProperties[count]);
  if (!properties)
    return failOutOfHostMemory();
  if (auto status = list(properties.get()))
    return status;
  // Returns whether the device has the extension. If it has, adds the name to the extensions to enable.
  auto use = [&](const char *name) {
    auto is = [&](const VkExtensionProperties &extension) { return strcmp(extension.extensionName, name) == 0; };
    bool found = std::any_of(properties.get(), properties.get() + count, is);
    if (found)
      facts.extensions[facts.extensionCount++] = name;
    return found;
  };
  extensions.storage8 = use(VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
  extensions.float16Int8 = use(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
  extensions.floatControls = use(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
  extensions.driverProperties = use(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
  return HEDDLE_OK;
}

// Stores the first queue family that can compute, and the number of valid bits of its timestamps.
static heddle_status findQueueFamily(const VulkanInstance &instance, VkPhysicalDevice device, VulkanFacts &facts) {
  uint32_t count = 0;
  instance.f.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::unique_ptr<VkQueueFamilyProperties[]> families(new (std::nothrow) VkQueueFamilyProperties[count]);
  if (!families)
    return failOutOfHostMemory();
  instance.f.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.get());
  for (facts.queueFamily = 0; facts.queueFamily < count; ++facts.queueFamily)
    if (families[facts.queueFamily].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      facts.timerBits = families[facts.queueFamily].timestampValidBits;
      return HEDDLE_OK;
    }
  return fail(HEDDLE_UNSUPPORTED_DEVICE, "the device has no queue for compute commands");
}

static void readLimits(const VkPhysicalDeviceLimits &from, uint32_t subgroupSize, heddle_device_limits &limits) {
  limits.alignment = from.minStorageBufferOffsetAlignment;
  limits.view_size = from.maxStorageBufferRange;
  limits.buffers = std::min(
      {from.maxPerStageDescriptorStorageBuffers, from.maxDescriptorSetStorageBuffers, from.maxPerStageResources});
  limits.workgroup_memory = from.maxComputeSharedMemorySize;
  limits.workgroup_threads = from.maxComputeWorkGroupInvocations;
  for (int i = 0; i < 3; ++i) {
    limits.workgroup_size[i] = from.maxComputeWorkGroupSize[i];
    limits.workgroup_count[i] = from.maxComputeWorkGroupCount[i];
  }
  limits.subgroup_size = subgroupSize;
}

// Returns the sub-group operations of compute shaders as bits of enum heddle_device_features.
static uint64_t subgroupFeatures(const VkPhysicalDeviceSubgroupProperties &subgroup) {
  if (!(subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
    return 0;
  // The bits for sub-group features have the same order in Vulkan and in enum heddle_device_features.
  static_assert(VK_SUBGROUP_FEATURE_BASIC_BIT == 1 && VK_SUBGROUP_FEATURE_QUAD_BIT == 0x80 &&
                HEDDLE_FEATURE_SUBGROUP_QUAD == HEDDLE_FEATURE_SUBGROUP_BASIC * 0x80);
  return uint64_t(subgroup.supportedOperations & 0xff) * HEDDLE_FEATURE_SUBGROUP_BASIC;
}

// Whether the device preserves signed zeros, infinities and NaN in all floating-point types that it has.
static bool keepsSignedZeroInfNan(const VkPhysicalDeviceFloatControlsProperties &controls, uint64_t features) {
  return controls.shaderSignedZeroInfNanPreserveFloat32 &&
         (controls.shaderSignedZeroInfNanPreserveFloat16 || !(features & HEDDLE_FEATURE_FLOAT16)) &&
         (controls.shaderSignedZeroInfNanPreserveFloat64 || !(features & HEDDLE_FEATURE_FLOAT64));
}

// Whether the device preserves subnormal numbers in all floating-point types that it has, and a kernel may request this
// for only some of the types.
static bool preservesDenorms(const VkPhysicalDeviceFloatControlsProperties &controls, uint64_t features) {
  return controls.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE &&
         controls.shaderDenormPreserveFloat32 &&
         (controls.shaderDenormPreserveFloat16 || !(features & HEDDLE_FEATURE_FLOAT16)) &&
         (controls.shaderDenormPreserveFloat64 || !(features & HEDDLE_FEATURE_FLOAT64));
}

heddle_status heddle::readFacts(const VulkanInstance &instance, VkPhysicalDevice device, VulkanFacts &facts) {
  facts = {};
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, nullptr, {}};
  instance.f.vkGetPhysicalDeviceProperties2(device, &properties);
  snprintf(facts.name, sizeof facts.name, "%s", properties.properties.deviceName);
  facts.vendor = properties.properties.vendorID;
  facts.device = properties.properties.deviceID;
  memcpy(facts.cacheId, properties.properties.pipelineCacheUUID, VK_UUID_SIZE);
  uint32_t version = std::min(properties.properties.apiVersion, instance.version);
  if (version < VK_API_VERSION_1_1)
    return fail(HEDDLE_UNSUPPORTED_DEVICE, "%s: the version of its Vulkan driver is older than 1.1", facts.name);
  facts.spirv = version < VK_API_VERSION_1_2 ? 0x10300 : 0x10500;
  if (auto status = findQueueFamily(instance, device, facts))
    return status;
  Extensions extensions = {true, true, true, true};
  if (version < VK_API_VERSION_1_2)
    if (extensions = {}; auto status = readExtensions(instance, device, facts, extensions))
      return status;

  // Only structures of available extensions may be queried.
  VkPhysicalDeviceSubgroupProperties subgroup = {};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceMaintenance3Properties sizes = {};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceFloatControlsProperties controls = {};
  controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  controls.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  VkPhysicalDeviceDriverProperties driver = {};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  properties.pNext = &subgroup;
  subgroup.pNext = &sizes;
  void **last = &sizes.pNext;
  if (extensions.floatControls)
    last = (*last = &controls, &controls.pNext);
  if (extensions.driverProperties)
    *last = &driver;
  instance.f.vkGetPhysicalDeviceProperties2(device, &properties);

  VulkanFeatures offered(extensions.storage8, extensions.float16Int8);
  instance.f.vkGetPhysicalDeviceFeatures2(device, &offered.base);
  facts.features = offered.features() | subgroupFeatures(subgroup);
  if (keepsSignedZeroInfNan(controls, facts.features))
    facts.features |= HEDDLE_FEATURE_SIGNED_ZERO_INF_NAN;
  if (preservesDenorms(controls, facts.features))
    facts.features |= HEDDLE_FEATURE_DENORM_PRESERVE;
  readLimits(properties.properties.limits, subgroup.subgroupSize, facts.limits);
  facts.allocationSize = sizes.maxMemoryAllocationSize;
  facts.timerPeriod = 1e-9 * double(properties.properties.limits.timestampPeriod);
  if (*driver.driverName)
    snprintf(facts.driver, sizeof facts.driver, "%s %s", driver.driverName, driver.driverInfo);
  else // a number whose meaning depends on the vendor
    snprintf(facts.driver, sizeof facts.driver, "0x%x", properties.properties.driverVersion);
  return HEDDLE_OK;
}
