//===- features.cpp - converts features to Vulkan's structures ------------===//

#include "facts.h"

using namespace heddle;

VulkanFeatures::VulkanFeatures(bool hasStorage8, bool hasFloat16Int8) {
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES;
  float16Int8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  base.pNext = &storage16;
  void **last = &storage16.pNext;
  if (hasStorage8)
    last = (*last = &storage8, &storage8.pNext);
  if (hasFloat16Int8)
    *last = &float16Int8;
}

// Calls visit(feature, field) for each feature that has a field; enable() writes the fields, and features() reads them.
template <typename Self, typename Visit> static void eachFeature(Self &self, Visit visit) {
  visit(HEDDLE_FEATURE_FLOAT16, self.float16Int8.shaderFloat16);
  visit(HEDDLE_FEATURE_FLOAT64, self.base.features.shaderFloat64);
  visit(HEDDLE_FEATURE_INT8, self.float16Int8.shaderInt8);
  visit(HEDDLE_FEATURE_INT16, self.base.features.shaderInt16);
  visit(HEDDLE_FEATURE_INT64, self.base.features.shaderInt64);
  visit(HEDDLE_FEATURE_STORAGE8, self.storage8.storageBuffer8BitAccess);
  visit(HEDDLE_FEATURE_STORAGE16, self.storage16.storageBuffer16BitAccess);
}

void VulkanFeatures::enable(uint64_t features) {
  eachFeature(*this, [&](uint64_t feature, VkBool32 &enabled) { enabled = (features & feature) != 0; });
}

uint64_t VulkanFeatures::features() const {
  uint64_t features = 0;
  eachFeature(*this, [&](uint64_t feature, const VkBool32 &has) { features |= has ? feature : 0; });
  return features;
}
