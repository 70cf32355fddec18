//===- devices.cpp - opens devices by name --------------------------------===//

#include "driver.h"

#include <stdio.h>
#include <string.h>

using namespace heddle;

namespace {
// A kind of device, such as "vulkan". driver.h documents the two functions.
struct Kind {
  const char *name;
  Driver *(*open)(const char *which);
  size_t (*count)(); // the number of devices of this kind
  bool executes; // whether devices of this kind execute kernels
};
} // namespace

static constexpr Kind kinds[] = {
    {"null", openNull, countNull, false},
#define HEDDLE_DEVICE(name, Stem, language, extension) {#name, open##Stem, count##Stem, true},
#include "devices.def"
};

// Returns the kind whose name is the first `length` bytes of `name`. Returns null if there is none, with the reason in
// lastError().
static const Kind *findKind(const char *name, size_t length) {
  char known[64] = "";
  for (const Kind &kind : kinds) {
    if (strlen(kind.name) == length && strncmp(kind.name, name, length) == 0)
      return &kind;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", kind.name);
  }
  fail(HEDDLE_INVALID_ARGUMENT, "unknown kind of device: %.*s (known kinds: %s)", int(length), name, known);
  return nullptr;
}

static void copyLastError(char *error, size_t size) {
  if (size)
    snprintf(error, size, "%s", lastError());
}

extern "C" heddle_device *heddle_device_open(const char *name, char *error, size_t error_size) {
  name = name ? name : "";
  const char *colon = strchr(name, ':');
  const Kind *kind = findKind(name, colon ? size_t(colon - name) : strlen(name));
  Driver *driver = kind ? kind->open(colon ? colon + 1 : nullptr) : nullptr;
  if (!driver)
    copyLastError(error, error_size);
  return driver ? &driver->table : nullptr;
}

extern "C" void heddle_device_close(heddle_device *device) {
  if (device)
    device->close(device->self);
}

extern "C" const char *heddle_device_kind(size_t number) {
  for (const Kind &kind : kinds)
    if (kind.executes && number-- == 0)
      return kind.name;
  return nullptr;
}

extern "C" size_t heddle_device_count(const char *name, char *error, size_t error_size) {
  name = name ? name : "";
  const Kind *kind = findKind(name, strlen(name));
  size_t count = kind ? kind->count() : 0;
  if (!count)
    copyLastError(error, error_size);
  return count;
}
