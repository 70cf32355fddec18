// FaultyDevice.h - a wrapper of any device in which one call fails, to test code that uses devices.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
#define HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H

#include "heddle/device.h"

#include <atomic>
#include <string>

// Forwards calls to `inner`. Call number `failing` (from 0), of the calls that return a status, returns `status`
// instead. If `forGood` is set, all later calls that return a status return `status`, too. Counts allocated and freed
// objects.
struct FaultyDevice {
  heddle_device table;
  heddle_device *inner;
  std::atomic<int64_t> failing{-1};
  heddle_status status = HEDDLE_DEVICE_ERROR;
  bool forGood = false;
  std::atomic<int64_t> calls{0}; // calls that return a status
  std::atomic<int64_t> alive{0}; // memories, code and recordings
  std::string words;             // the message of the last call that failed on demand; empty: error() of `inner`

  explicit FaultyDevice(heddle_device *inner);
  // Restarts the count of calls and makes call number `call` fail. If `call` is -1, no call fails.
  void fail(int64_t call, heddle_status status = HEDDLE_DEVICE_ERROR, bool forGood = false);
};

#endif // HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
