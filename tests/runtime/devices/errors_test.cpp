//===- errors_test.cpp - calls that fail, and what is left after ----------===//

#include "DeviceTest.h"
#include "FaultyDevice.h"

#include "heddle/model.h"

HEDDLE_DEVICE_SUITE(Errors);

namespace {
// What a model does: memory, weights, code, launches, a run. Frees what was made, whatever fails.
heddle_status useOnce(heddle_device *device) {
  Program program("arithmetic", arithmeticKernels());
  heddle_view view = {0, 0, 256};
  heddle_launch launch = {AddOne, {1, 1, 1}, &view};
  std::vector<uint32_t> words = numbered(64), out(64);
  heddle_copy copyIn = {words.data(), 0, 0, 256}, copyOut = {out.data(), 0, 0, 256};
  heddle_memory *memory = nullptr;
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr;
  heddle_status status = device->allocate(device->self, 256, &memory);
  if (!status)
    status = device->upload(device->self, memory, 0, words.data(), 256);
  if (!status)
    status = device->load(device->self, &program.program, &code);
  if (!status)
    status = device->record(device->self, code, &memory, 1, &launch, 1, 256, &launches);
  if (!status)
    status = device->replay(device->self, launches, &copyIn, 1, &copyOut, 1);
  if (!status)
    status = device->download(device->self, memory, 0, out.data(), 256);
  device->forget(device->self, launches);
  device->unload(device->self, code);
  device->release(device->self, memory);
  return status;
}
} // namespace

TEST_P(Errors, AnyCallOfAWrappedDeviceCanFail) {
  FaultyDevice faulty(device);
  EXPECT_EQ(useOnce(&faulty.table), HEDDLE_OK);
  int64_t calls = faulty.calls;
  EXPECT_EQ(calls, 6);
  for (heddle_status status : {HEDDLE_OUT_OF_DEVICE_MEMORY, HEDDLE_DEVICE_LOST, HEDDLE_DEVICE_ERROR})
    for (int64_t call = 0; call < calls; ++call) {
      faulty.status = status;
      faulty.failing = call;
      faulty.calls = 0;
      EXPECT_EQ(useOnce(&faulty.table), status);
      EXPECT_EQ(faulty.calls, call + 1);
      EXPECT_EQ(faulty.alive, 0);
    }
}

TEST_P(Errors, ADeviceServesOnAfterARefusal) {
  heddle_memory *memory = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(device->allocate(device->self, 0, &memory), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(useOnce(device), HEDDLE_OK) << error();
  }
}

TEST(StatusText, EveryStatusHasWords) {
  EXPECT_STREQ(heddle_status_text(HEDDLE_UNSUPPORTED_DEVICE),
               "the device lacks a feature that the code needs, or a limit of it is too small");
  EXPECT_STREQ(heddle_status_text(HEDDLE_OUT_OF_DEVICE_MEMORY), "the device has no memory left");
  EXPECT_STREQ(heddle_status_text(HEDDLE_DEVICE_LOST), "the device stopped working");
  EXPECT_STREQ(heddle_status_text(HEDDLE_DEVICE_ERROR), "the device's driver failed");
  EXPECT_STREQ(heddle_status_text(HEDDLE_DEVICE_ERROR + 1), "unknown status");
}
