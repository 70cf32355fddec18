//===- vulkan_seeds_test.cpp - large models on a Vulkan device ------------===//
//
// Compares the results of models that e2e/LargeSeeds.h creates, because they
// are too large for the repository, with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/LargeSeeds.h"

using VulkanLargeSeeds = OnVulkan<LargeSeeds>;

INSTANTIATE_LARGE_SEEDS(VulkanLargeSeeds);
