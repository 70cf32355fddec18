// cache.h - what drivers compiled, sealed: a driver may crash on bytes that are not its own.
#ifndef HEDDLE_DEVICES_CACHE_H
#define HEDDLE_DEVICES_CACHE_H

#include "driver.h"

namespace heddle {

// Comes before a driver's bytes.
struct CacheSeal {
  char magic[8];
  uint64_t size, hash; // of what follows
};
CacheSeal sealOf(const char *data, uint64_t size);

// As save_cache and restore_cache of the table.
heddle_status saveCache(Driver &driver, void *data, uint64_t *size);
heddle_status restoreCache(Driver &driver, const void *data, uint64_t size);

} // namespace heddle

#endif // HEDDLE_DEVICES_CACHE_H
