//===- vulkan_seeds_test.cpp - large models on a Vulkan device ------------===//

#include "targets/OnDevice.h"

#include "e2e/LargeSeeds.h"

using VulkanLargeSeeds = OnVulkan<LargeSeeds>;

INSTANTIATE_LARGE_SEEDS(VulkanLargeSeeds);
