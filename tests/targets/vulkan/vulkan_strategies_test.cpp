//===- vulkan_strategies_test.cpp - GPU strategies, hard inputs -----------===//
//
// Runs each embedded strategy for Vulkan on a device, for the operations for
// which the strategy is eligible. The inputs are those of `heddle verify
// --adversarial`, such as denormal numbers and infinities.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/EveryStrategy.h"

struct VulkanStrategies : OnVulkan<EveryStrategy> {};

TEST_P(VulkanStrategies, AreRight) {
  // Software drivers take seconds to compile code of attention-blocks, so test only every sixth operation with it.
  checkStrategy(embedded().name == "attention-blocks" ? 6 : 1);
}
INSTANTIATE_EVERY_STRATEGY(VulkanStrategies, "vulkan");
