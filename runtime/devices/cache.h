// cache.h - saves compiled code with a checksum, because a driver may crash on bytes that it did not write.
#ifndef HEDDLE_DEVICES_CACHE_H
#define HEDDLE_DEVICES_CACHE_H

#include "driver.h"

namespace heddle {

// Precedes the driver's bytes in saved data.
struct CacheSeal {
  char magic[8];
  uint64_t size, hash; // the number of the driver's bytes, and their hash
};
CacheSeal sealOf(const char *data, uint64_t size);

// Implement save_cache and restore_cache of struct heddle_device.
heddle_status saveCache(Driver &driver, void *data, uint64_t *size);
heddle_status restoreCache(Driver &driver, const void *data, uint64_t size);

} // namespace heddle

#endif // HEDDLE_DEVICES_CACHE_H
