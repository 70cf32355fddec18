//===- errors_test.cpp - failing calls ------------------------------------===//
//
// Tests of FaultyDevice.h, with which other tests make calls fail, and of the
// texts of statuses.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "FaultyDevice.h"

#include "heddle/model.h"

#include <cstring>

HEDDLE_DEVICE_SUITE(Errors);

TEST_P(Errors, AnyCallOfAWrappedDeviceCanFail) {
  FaultyDevice faulty(device);
  EXPECT_EQ(useOnce(&faulty.table), HEDDLE_OK);
  int64_t calls = faulty.calls;
  EXPECT_EQ(calls, 17); // the calls of useOnce
  for (heddle_status status : {HEDDLE_OUT_OF_DEVICE_MEMORY, HEDDLE_DEVICE_LOST, HEDDLE_DEVICE_ERROR})
    for (int64_t call = 0; call < calls; ++call) {
      faulty.fail(call, status);
      EXPECT_EQ(useOnce(&faulty.table), status);
      EXPECT_EQ(faulty.calls, call + 1);
      EXPECT_EQ(faulty.alive, 0);
    }
}

TEST_P(Errors, ADeviceStillWorksAfterAnError) {
  heddle_memory *memory = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(device->allocate(device->self, 0, &memory), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(useOnce(device), HEDDLE_OK) << error();
  }
}

// Callers add the device's last message to the error if heddle_status_of_device returns true. For other statuses, such
// as a full state, this message would be about an earlier error.
TEST(StatusText, OnlyErrorsOfDevicesHaveMessagesOfDevices) {
  for (int status = HEDDLE_OK; status <= HEDDLE_STATE_FULL; ++status) {
    bool isOfDevice = strstr(heddle_status_text(status), "the device") != nullptr;
    EXPECT_EQ(heddle_status_of_device(status) != 0, isOfDevice) << heddle_status_text(status);
  }
}

TEST(StatusText, EveryStatusHasAText) {
  EXPECT_STREQ(heddle_status_text(HEDDLE_UNSUPPORTED_DEVICE),
               "the device lacks a feature that the code needs, or a limit of the device is too small");
  EXPECT_STREQ(heddle_status_text(HEDDLE_OUT_OF_DEVICE_MEMORY), "the device has no memory left");
  EXPECT_STREQ(heddle_status_text(HEDDLE_DEVICE_LOST), "the device stopped working");
  EXPECT_STREQ(heddle_status_text(HEDDLE_DEVICE_ERROR), "the device's driver failed");
  EXPECT_STREQ(heddle_status_text(HEDDLE_STATE_FULL + 1), "unknown status");
}
