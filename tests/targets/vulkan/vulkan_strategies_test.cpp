//===- vulkan_strategies_test.cpp - every strategy for GPUs, hard inputs --===//
//
// Each embedded strategy for GPUs on a Vulkan device.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct VulkanStrategies : OnVulkan<EveryStrategy> {};

TEST_P(VulkanStrategies, AreRight) {
  // Drivers made of software compile the one for seconds.
  checkStrategy(embedded().name == "attention-blocks" ? 6 : 1);
}
INSTANTIATE_EVERY_STRATEGY(VulkanStrategies, "gpu");
