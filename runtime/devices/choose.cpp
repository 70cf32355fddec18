//===- choose.cpp - selects a device by number, name or UUID --------------===//

#include "choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace heddle;

// Returns the index of the first of the devices with the lowest rank.
static int64_t mostCapable(const Candidate *candidates, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; ++i)
    if (candidates[i].rank < candidates[best].rank)
      best = i;
  return best;
}

// Stores the error text, `why` with a list of the devices, and returns -1.
static int64_t refuse(const char *kind, const Candidate *candidates, uint32_t count, const char *which,
                      const char *why) {
  char known[384] = "";
  for (uint32_t i = 0; i < count; ++i) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%u is %s", i ? ", " : "", i, candidates[i].name);
  }
  fail(HEDDLE_INVALID_ARGUMENT, "%s %s:%s (%s)", why, kind, which, known);
  return -1;
}

int64_t heddle::choose(const char *kind, const Candidate *candidates, uint32_t count, const char *which) {
  if (!which)
    return mostCapable(candidates, count);
  char *end = nullptr;
  unsigned long number = strtoul(which, &end, 10);
  if (*which >= '0' && *which <= '9' && !*end && number < count) // a number that is too large may be part of a name
    return int64_t(number);
  const char *uuid = strncasecmp(which, "GPU-", 4) == 0 ? which + 4 : which; // nvidia-smi prints UUIDs with this prefix
  int64_t found = -1;
  for (uint32_t i = 0; i < count && *which; ++i) {
    if (strcasecmp(candidates[i].uuid, uuid) == 0)
      return i;
    if (!strcasestr(candidates[i].name, which))
      continue;
    if (found >= 0)
      return refuse(kind, candidates, count, which, "several devices match");
    found = i;
  }
  return found >= 0 ? found : refuse(kind, candidates, count, which, "no device matches");
}

void heddle::writeUuid(const uint8_t (&bytes)[16], char (&text)[37]) {
  size_t used = 0;
  for (unsigned i = 0; i < 16; ++i) {
    bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    used += size_t(snprintf(text + used, sizeof text - used, "%s%02x", dash ? "-" : "", unsigned(bytes[i])));
  }
}
