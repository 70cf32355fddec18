/* find.c - opens a device of the runtime by its name. */
#include "kit.h"

struct heddle_device *find_device(const char *name, char *error, size_t size) {
  return heddle_device_open(name, error, size);
}
