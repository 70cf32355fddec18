//===- cache_test.cpp - saves and restores the driver's compiled code -----===//
//
// save_cache returns the compiled form of all loaded code as bytes, and
// restore_cache passes such bytes to the driver in a later process. The bytes
// may come from a damaged file or from another device. restore_cache must refuse
// such bytes before they reach the driver, which might not check them.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "devices/cache.h"

#include <cstring>

HEDDLE_DEVICE_SUITE(Cache);

namespace {
// Returns the cache of the device.
std::vector<char> save(heddle_device *device) {
  uint64_t size = 0;
  EXPECT_EQ(device->save_cache(device->self, nullptr, &size), HEDDLE_OK) << device->error(device->self);
  std::vector<char> data(size);
  EXPECT_EQ(device->save_cache(device->self, data.data(), &size), HEDDLE_OK) << device->error(device->self);
  EXPECT_EQ(size, data.size());
  return data;
}
heddle_status restore(heddle_device *device, const std::vector<char> &data) {
  return device->restore_cache(device->self, data.data(), data.size());
}
} // namespace

TEST_P(Cache, SavedAndRestored) {
  loadArithmetic();
  std::vector<char> data = save(device);
  std::string reason;
  heddle_device *other = GetParam().open(reason);
  ASSERT_TRUE(other) << reason;
  EXPECT_EQ(restore(other, data), HEDDLE_OK) << other->error(other->self);
  EXPECT_EQ(useOnce(other), HEDDLE_OK) << other->error(other->self);
  EXPECT_EQ(restore(other, data), HEDDLE_OK) << other->error(other->self);
  EXPECT_EQ(restore(other, save(other)), HEDDLE_OK) << other->error(other->self);
  heddle_device_close(other);
}

TEST_P(Cache, TheSizeOfTheBufferIsChecked) {
  std::vector<char> data = save(device), less(data.size() - 1, '#');
  uint64_t size = less.size();
  EXPECT_EQ(device->save_cache(device->self, less.data(), &size), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "the cache has " + std::to_string(data.size()) + " bytes, but the given memory has " +
                         std::to_string(less.size()));
  EXPECT_EQ(size, data.size());
  EXPECT_EQ(less, std::vector<char>(less.size(), '#'));
  EXPECT_EQ(device->save_cache(device->self, nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
}

// One bit is changed, or the data is cut or has a byte too many. The seal, a checksum before the data, detects this.
TEST_P(Cache, DamagedCachesAreRefused) {
  loadArithmetic();
  std::vector<char> data = save(device);
  ASSERT_GE(data.size(), sizeof(heddle::CacheSeal));
  for (size_t i = 0; i < data.size(); i += 1 + i / 256) {
    std::vector<char> damaged = data;
    damaged[i] ^= 1;
    EXPECT_EQ(restore(device, damaged), HEDDLE_INVALID_ARGUMENT) << i;
    EXPECT_EQ(error(), "the data is damaged or is not a cache");
    damaged.assign(data.begin(), data.begin() + i);
    EXPECT_EQ(restore(device, damaged), HEDDLE_INVALID_ARGUMENT) << i;
  }
  data.push_back(0);
  EXPECT_EQ(restore(device, data), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->restore_cache(device->self, nullptr, 1000), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(useOnce(device), HEDDLE_OK) << error();
}

// The data is complete and its seal is valid, but its header names another device.
TEST_P(Cache, TheCacheOfAnotherDeviceIsRefused) {
  // `own` is the driver's data after the seal. refuse() adds a valid seal to it.
  std::vector<char> data = save(device), own(data.begin() + sizeof(heddle::CacheSeal), data.end());
  auto refuse = [&] {
    heddle::CacheSeal seal = heddle::sealOf(own.data(), own.size());
    std::vector<char> sealed(sizeof seal);
    memcpy(sealed.data(), &seal, sizeof seal);
    sealed.insert(sealed.end(), own.begin(), own.end());
    EXPECT_EQ(restore(device, sealed), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error().find("the cache was not saved by "), 0u) << error();
  };
  // Change the header of the driver's data, in which Vulkan stores sizes and the identity of the device.
  for (size_t i = 0; i < std::min<size_t>(own.size(), 32); ++i) {
    own[i] ^= 0x55;
    refuse();
    own[i] ^= 0x55;
  }
  own.assign(GetParam().name == "null" ? 32 : 31, 0);
  refuse();
}
