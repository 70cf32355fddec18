// FaultyDevice.h - wraps any device, and lets one of its calls fail: to test what uses devices.
#ifndef HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
#define HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H

#include "heddle/device.h"

#include <atomic>
#include <string>

// Passes calls on to `inner`; the one that returns a status and is number `failing`, from 0, returns `status` instead,
// and where it fails for good all that follow. Counts what is made and freed.
struct FaultyDevice {
  heddle_device table;
  heddle_device *inner;
  std::atomic<int64_t> failing{-1};
  heddle_status status = HEDDLE_DEVICE_ERROR;
  bool forGood = false;
  std::atomic<int64_t> calls{0}; // that return a status
  std::atomic<int64_t> alive{0}; // memories, code and recordings
  std::string words;             // of the last that failed here; empty: those of `inner`

  explicit FaultyDevice(heddle_device *inner);
  // Counts anew; -1: nothing fails.
  void fail(int64_t call, heddle_status status = HEDDLE_DEVICE_ERROR, bool forGood = false);
};

#endif // HEDDLE_TESTS_DEVICES_FAULTYDEVICE_H
