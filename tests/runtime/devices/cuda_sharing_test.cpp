//===- cuda_sharing_test.cpp - memory of other code on CUDA devices -------===//
//
// Other code, here the test, calls the fake of CUDA (FakeCuda.h) itself: it
// allocates memory, and has a stream whose work the fake executes only when
// somebody waits for it.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "FakeCuda.h"
#include "FakeState.h"
#include "devices/cuda/cuda.h"

#include <cstring>

using namespace heddle;
using fake::cuda;

namespace {
class CudaSharing : public testing::Test {
protected:
  heddle_device *device = nullptr;
  CUcontext context = nullptr;
  CUstream stream = nullptr; // of the other code

  void SetUp() override {
    cuda().mistake.clear();
    Driver *driver = openCudaWith({&cuda(), fake::find}, "0");
    ASSERT_TRUE(driver) << lastError();
    device = &driver->table;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    cuCtxPushCurrent_v2(context);
    ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    cuStreamDestroy_v2(stream);
    cuCtxPopCurrent_v2(&context);
    cuDevicePrimaryCtxRelease_v2(0);
    heddle_device_close(device);
    EXPECT_EQ(cuda().alive, 0);
    EXPECT_EQ(cuda().mistake, "");
    EXPECT_TRUE(fake::hasNoContext());
  }
  // Allocates device memory in the current context.
  CUdeviceptr allocate(size_t size) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, size), CUDA_SUCCESS);
    return address;
  }
  // Allocates page-locked memory of the host, from and to which copies are asynchronous.
  uint32_t *allocatePinned(size_t size) {
    void *bytes = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&bytes, size, 0), CUDA_SUCCESS);
    return static_cast<uint32_t *>(bytes);
  }
  heddle_memory *wrap(CUdeviceptr address, uint64_t size) {
    heddle_memory *memory = nullptr;
    EXPECT_EQ(device->wrap(device->self, address, size, &memory), HEDDLE_OK) << device->error(device->self);
    return memory;
  }
  void refuse(CUdeviceptr address, uint64_t size, const char *reason) {
    heddle_memory *memory = nullptr;
    EXPECT_EQ(device->wrap(device->self, address, size, &memory), HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(device->error(device->self), reason);
    EXPECT_EQ(memory, nullptr);
  }
};
} // namespace

// A model reads an input that other code computes in its own stream, and writes an output in place. The work of the
// other code is done before the replay because Heddle's stream waits for an event and the host for Heddle's stream.
TEST_F(CudaSharing, ReplaysFollowWorkOfOtherStreams) {
  uint32_t *pinned = allocatePinned(256);
  for (uint32_t i = 0; i < 64; ++i)
    pinned[i] = i;
  CUdeviceptr input = allocate(256), output = allocate(256);
  heddle_memory *in = wrap(input, 256), *out = wrap(output, 256), *own = nullptr;
  Program program("ptx", "arithmetic", arithmeticKernels());
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr;
  heddle_view view = {0, 0, 256};
  heddle_launch launch = {AddOne, {1, 1, 1}, &view, nullptr};
  ASSERT_EQ(device->allocate(device->self, 256, &own), HEDDLE_OK);
  ASSERT_EQ(device->load(device->self, &program.program, &code), HEDDLE_OK) << device->error(device->self);
  ASSERT_EQ(device->record(device->self, code, &own, 1, &launch, 1, 0, &launches), HEDDLE_OK);

  CUevent event = nullptr;
  uint64_t waiting = 0;
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(input, pinned, 256, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  ASSERT_EQ(device->stream(device->self, &waiting), HEDDLE_OK);
  ASSERT_EQ(cuStreamWaitEvent(reinterpret_cast<CUstream>(waiting), event, 0), CUDA_SUCCESS);
  ASSERT_EQ(device->wait(device->self, waiting), HEDDLE_OK);
  cuda().log.clear();
  cuda().isLogging = true;
  heddle_copy read = {nullptr, 0, 0, 256, in, 0}, write = {nullptr, 0, 0, 256, out, 0};
  ASSERT_EQ(device->replay(device->self, launches, &read, 1, &write, 1), HEDDLE_OK) << device->error(device->self);
  cuda().isLogging = false;
  EXPECT_EQ(cuda().log, "cuCtxPushCurrent_v2 cuMemcpyDtoDAsync_v2 cuGraphLaunch cuMemcpyDtoDAsync_v2 "
                        "cuStreamSynchronize");

  device->release(device->self, in);
  device->release(device->self, out);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(pinned, output, 256, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(std::vector<uint32_t>(pinned, pinned + 64), numbered(64, 1));
  device->forget(device->self, launches);
  device->unload(device->self, code);
  device->release(device->self, own);
  cuEventDestroy_v2(event);
  cuMemFree_v2(input);
  cuMemFree_v2(output);
  cuMemFreeHost(pinned);
}

// Other code may release a tensor while its work that reads the tensor is still in its stream.
TEST_F(CudaSharing, MemoryIsFreedAfterTheWorkThatUsesIt) {
  uint32_t *pinned = allocatePinned(4), word = 7;
  heddle_memory *memory = nullptr;
  uint64_t address = 0;
  ASSERT_EQ(device->allocate(device->self, 4, &memory), HEDDLE_OK);
  ASSERT_EQ(device->upload(device->self, memory, 0, &word, 4), HEDDLE_OK);
  ASSERT_EQ(device->address(device->self, memory, &address), HEDDLE_OK);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(pinned, address, 4, stream), CUDA_SUCCESS);
  device->release(device->self, memory);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(*pinned, 7u);
  cuMemFreeHost(pinned);
}

// CUDA refuses to wait while a stream is captured. The work that uses the memory may then not be done.
TEST_F(CudaSharing, MemoryStaysAllocatedIfTheWaitFails) {
  heddle_memory *memory = nullptr;
  uint64_t address = 0;
  ASSERT_EQ(device->allocate(device->self, 4, &memory), HEDDLE_OK);
  ASSERT_EQ(device->address(device->self, memory, &address), HEDDLE_OK);
  int64_t alive = cuda().alive;
  cuda().failingFunction = "cuCtxSynchronize";
  device->release(device->self, memory);
  cuda().failingFunction = "";
  EXPECT_EQ(cuda().alive, alive);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  EXPECT_EQ(cuda().alive, alive - 1);
}

TEST_F(CudaSharing, AddressesThatCannotBeUsed) {
  uint32_t word = 0;
  refuse(reinterpret_cast<uintptr_t>(&word), 4,
         ("the address " +
          [&] {
            char text[32];
            snprintf(text, sizeof text, "0x%llx", CUdeviceptr(reinterpret_cast<uintptr_t>(&word)));
            return std::string(text);
          }() +
          " is not in the memory of a CUDA device")
             .c_str());
  refuse(0, 4, "the address 0x0 is not in the memory of a CUDA device");
  CUdeviceptr small = allocate(100);
  refuse(small + 40, 61, "61 bytes at byte 40 of an allocation of 100 bytes extend beyond its end");
  device->release(device->self, wrap(small + 40, 60));
  cuMemFree_v2(small);

  CUcontext other = nullptr, left = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr foreign = allocate(16);
  refuse(foreign, 16, "the memory belongs to another context than the primary context of cuda:0");
  cuMemFree_v2(foreign);
  cuCtxPopCurrent_v2(&left);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  cuCtxPushCurrent_v2(other);
  CUdeviceptr elsewhere = allocate(16);
  refuse(elsewhere, 16, "the memory lies on cuda:1, expected memory on cuda:0");
  cuMemFree_v2(elsewhere);
  cuCtxPopCurrent_v2(&left);
  cuDevicePrimaryCtxRelease_v2(1);
}

// Each function of the driver that sharing calls may fail.
TEST_F(CudaSharing, FailuresOfTheDriver) {
  CUdeviceptr address = allocate(16);
  uint64_t stream = 0;
  ASSERT_EQ(device->stream(device->self, &stream), HEDDLE_OK);
  auto failWith = [&](const char *function, CUresult result, int64_t passing = 0) {
    cuda().failingFunction = function;
    cuda().result = result;
    cuda().passing = passing;
  };
  heddle_memory *memory = nullptr;
  for (int64_t passing : {0, 1, 3, 4}) { // not 2: `wrap` succeeds if only the memory's context cannot be read
    failWith("cuPointerGetAttribute", CUDA_ERROR_UNKNOWN, passing);
    EXPECT_EQ(device->wrap(device->self, address, 16, &memory), HEDDLE_DEVICE_ERROR) << passing;
    EXPECT_EQ(memory, nullptr);
  }
  failWith("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(device->wait(device->self, stream), HEDDLE_DEVICE_LOST);
  failWith("cuCtxSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(device->wait(device->self, 0), HEDDLE_DEVICE_LOST);
  failWith("cuCtxPushCurrent_v2", CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(device->wrap(device->self, address, 16, &memory), HEDDLE_DEVICE_ERROR);
  EXPECT_EQ(device->wait(device->self, 0), HEDDLE_DEVICE_ERROR);
  failWith("", CUDA_ERROR_UNKNOWN);
  cuMemFree_v2(address);
}
