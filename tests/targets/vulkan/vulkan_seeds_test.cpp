//===- vulkan_seeds_test.cpp - large models on a Vulkan device ------------===//
//
// Compares the results of models with those of the interpreter. The models are
// too large for the repository, so e2e/LargeSeeds.h creates them.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/LargeSeeds.h"

using VulkanLargeSeeds = OnVulkan<LargeSeeds>;

INSTANTIATE_LARGE_SEEDS(VulkanLargeSeeds);
