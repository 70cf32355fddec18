//===- cache.cpp - saving the code that drivers compiled ------------------===//

#include "cache.h"

#include <inttypes.h>
#include <string.h>

using namespace heddle;

CacheSeal heddle::sealOf(const char *data, uint64_t size) {
  CacheSeal seal = {{'H', 'E', 'D', 'D', 'L', 'E', 'C', '1'}, size, 0xcbf29ce484222325}; // FNV-1a
  for (uint64_t i = 0; i < size; ++i)
    seal.hash = (seal.hash ^ uint8_t(data[i])) * 0x100000001b3;
  return seal;
}

heddle_status heddle::saveCache(Driver &driver, void *data, uint64_t *size) {
  if (!size)
    return fail(HEDDLE_INVALID_ARGUMENT, "the pointer for the size of the cache is NULL");
  std::unique_ptr<char[]> own;
  uint64_t ownSize = 0, room = *size;
  if (auto status = driver.saveCache(own, ownSize))
    return status;
  *size = sizeof(CacheSeal) + ownSize;
  if (!data)
    return HEDDLE_OK;
  if (room < *size)
    return fail(HEDDLE_INVALID_ARGUMENT, "the cache has %" PRIu64 " bytes, but the given memory has %" PRIu64, *size,
                room);
  CacheSeal seal = sealOf(own.get(), ownSize);
  memcpy(data, &seal, sizeof seal);
  if (ownSize)
    memcpy(static_cast<char *>(data) + sizeof seal, own.get(), ownSize);
  return HEDDLE_OK;
}

heddle_status heddle::restoreCache(Driver &driver, const void *data, uint64_t size) {
  if (!data || size < sizeof(CacheSeal))
    return fail(HEDDLE_INVALID_ARGUMENT, "the cache is truncated");
  CacheSeal seal;
  memcpy(&seal, data, sizeof seal);
  const char *own = static_cast<const char *>(data) + sizeof seal;
  CacheSeal expected = sealOf(own, size - sizeof seal);
  if (memcmp(&seal, &expected, sizeof seal) != 0)
    return fail(HEDDLE_INVALID_ARGUMENT, "the data is damaged or is not a cache");
  return driver.restoreCache(own, size - sizeof seal);
}
