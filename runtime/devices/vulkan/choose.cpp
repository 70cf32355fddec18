//===- choose.cpp - a device by number, name or UUID ----------------------===//

#include "instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace heddle;

// The less, the more capable.
static int rank(VkPhysicalDeviceType type) {
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

static int64_t mostCapable(const VulkanCandidate *candidates, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; ++i)
    if (rank(candidates[i].type) < rank(candidates[best].type))
      best = i;
  return best;
}

static int64_t refuse(const VulkanCandidate *candidates, uint32_t count, const char *which, const char *why) {
  char known[384] = "";
  for (uint32_t i = 0; i < count; ++i) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%u is %s", i ? ", " : "", i, candidates[i].name);
  }
  fail(HEDDLE_INVALID_ARGUMENT, "%s vulkan:%s (%s)", why, which, known);
  return -1;
}

int64_t heddle::choose(const VulkanCandidate *candidates, uint32_t count, const char *which) {
  if (!which)
    return mostCapable(candidates, count);
  char *end = nullptr;
  unsigned long number = strtoul(which, &end, 10);
  if (*which >= '0' && *which <= '9' && !*end && number < count) // a larger one may be part of a name
    return int64_t(number);
  int64_t found = -1;
  for (uint32_t i = 0; i < count && *which; ++i) {
    if (strcasecmp(candidates[i].uuid, which) == 0)
      return i;
    if (!strcasestr(candidates[i].name, which))
      continue;
    if (found >= 0)
      return refuse(candidates, count, which, "several devices are");
    found = i;
  }
  return found >= 0 ? found : refuse(candidates, count, which, "no device is");
}
