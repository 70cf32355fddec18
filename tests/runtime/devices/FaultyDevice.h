// FaultyDevice.h - wraps any device and makes one of its calls fail, to test code that uses devices.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
#define HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H

#include "heddle/device.h"

#include <atomic>
#include <string>

// Forwards calls to `inner`. Among the calls that return a status, number `failing` (from 0) returns `status` instead,
// and so do all later calls if the failure is permanent. Counts allocated and freed objects.
struct FaultyDevice {
  heddle_device table;
  heddle_device *inner;
  std::atomic<int64_t> failing{-1};
  heddle_status status = HEDDLE_DEVICE_ERROR;
  bool forGood = false;
  std::atomic<int64_t> calls{0}; // calls that return a status
  std::atomic<int64_t> alive{0}; // memories, code and recordings
  std::string words;             // message of the last call that failed here; empty: the message of `inner`

  explicit FaultyDevice(heddle_device *inner);
  // Restarts the count; with -1 nothing fails.
  void fail(int64_t call, heddle_status status = HEDDLE_DEVICE_ERROR, bool forGood = false);
};

#endif // HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
