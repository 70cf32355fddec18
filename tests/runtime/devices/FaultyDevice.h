// FaultyDevice.h - a wrapper of any device in which one call fails, to test code that uses devices.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
#define HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H

#include "heddle/device.h"

#include <atomic>
#include <string>

// Forwards calls to `inner`. Of the calls that return a status, the one with number `failing` (from 0) is not forwarded
// and returns `status`. If `forGood` is set, all later calls that return a status fail in the same way. Counts the
// objects that were not freed.
struct FaultyDevice {
  heddle_device table;              // the device that a test passes to the tested code
  heddle_device *inner;             // not owned
  std::atomic<int64_t> failing{-1}; // -1: no call fails
  heddle_status status = HEDDLE_DEVICE_ERROR;
  bool forGood = false;
  std::atomic<int64_t> calls{0}; // the number of calls that return a status, since fail() or the construction
  std::atomic<int64_t> alive{0}; // the number of memories, codes and recordings that were not freed
  std::string words;             // the message if the last call failed on demand, otherwise ""

  explicit FaultyDevice(heddle_device *inner);
  // Restarts the count of calls and makes call number `call` fail. If `call` is -1, no call fails.
  void fail(int64_t call, heddle_status status = HEDDLE_DEVICE_ERROR, bool forGood = false);
};

#endif // HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
