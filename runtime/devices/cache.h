// cache.h - saves and restores the code that a device's driver compiled. The data has a checksum, because a driver may
// crash on bytes that it did not write.
#ifndef HEDDLE_DEVICES_CACHE_H
#define HEDDLE_DEVICES_CACHE_H

#include "driver.h"

namespace heddle {

// The header of the saved data, which the driver's bytes follow.
struct CacheSeal {
  char magic[8];
  uint64_t size, hash; // the number of the driver's bytes, and their hash
};
// Returns the header for the driver's bytes.
CacheSeal sealOf(const char *data, uint64_t size);

// Implement save_cache and restore_cache of struct heddle_device. On entry of saveCache, *size is the number of bytes
// at `data`. saveCache sets *size to the number of bytes of the cache; if `data` is null, it does nothing else.
heddle_status saveCache(Driver &driver, void *data, uint64_t *size);
heddle_status restoreCache(Driver &driver, const void *data, uint64_t size);

} // namespace heddle

#endif // HEDDLE_DEVICES_CACHE_H
