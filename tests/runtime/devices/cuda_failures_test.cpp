//===- cuda_failures_test.cpp - failing CUDA drivers ----------------------===//
//
// If a call of CUDA's driver fails, or the driver or device is too old, Heddle
// must return a status and a message, and free all objects. The fake driver
// (FakeCuda.h) makes calls fail and counts the objects that are not freed.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "FakeCuda.h"
#include "devices/cuda/cuda.h"

namespace {

using fake::cuda;

class CudaFailures : public testing::Test {
protected:
  void SetUp() override { cuda().mistake.clear(); }
  void TearDown() override {
    cuda().failing = -1;
    cuda().failingFunction.clear();
    cuda().missing.clear();
    cuda().version = 12040;
    cuda().devices = 2;
    cuda().architecture = 90;
    cuda().memory = 8ull << 30;
    cuda().threads = 1024;
    EXPECT_EQ(cuda().alive, 0);
    EXPECT_EQ(cuda().mistake, "");
    EXPECT_TRUE(fake::hasNoContext());
  }
  // Opens a device of the fake driver. `which` is the number, a part of the name, or the UUID of the device;
  // NULL: the default device.
  static heddle_device *open(const char *which = nullptr) {
    heddle::Driver *driver = heddle::openCudaWith({&cuda(), fake::find}, which);
    return driver ? &driver->table : nullptr;
  }
  // Expects that no device can be opened, and returns the message.
  static std::string openingFails(const char *which = nullptr) {
    heddle_device *device = open(which);
    EXPECT_EQ(device, nullptr);
    heddle_device_close(device);
    return heddle::lastError();
  }
  // Opens, uses and closes a device. Sets `words` to the message of a failure.
  heddle_status once(std::string &words) {
    cuda().calls = 0;
    cuda().failed.clear();
    heddle_device *device = open();
    words = heddle::lastError();
    if (!device)
      return HEDDLE_DEVICE_ERROR;
    heddle_status status = useOnce(device);
    words = device->error(device->self);
    EXPECT_EQ(static_cast<heddle::Driver *>(device->self)->allocated, 0u) << cuda().failed;
    heddle_device_close(device);
    return status;
  }
  // Loads a program, expects this status, and returns the message.
  static std::string loadingFails(heddle_device *device, Program &program, heddle_status expected) {
    heddle_code *code = nullptr;
    EXPECT_EQ(device->load(device->self, &program.program, &code), expected);
    EXPECT_EQ(code, nullptr);
    return device->error(device->self);
  }
};

// once() opens and uses a device, which takes a number of calls of the driver. once() is then repeated for each of
// these calls, and this call fails.
TEST_F(CudaFailures, AnyCallCanFail) {
  std::string words;
  ASSERT_EQ(once(words), HEDDLE_OK) << words;
  int64_t calls = cuda().calls;
  EXPECT_GT(calls, 60);
  for (int64_t call = 0; call < calls; ++call) {
    cuda().failing = call;
    EXPECT_EQ(once(words), HEDDLE_DEVICE_ERROR) << call;
    std::string function = cuda().failed.substr(0, cuda().failed.find("_v2"));
    EXPECT_EQ(words, function + ": unknown error (CUDA_ERROR_UNKNOWN)");
    EXPECT_EQ(cuda().alive, 0) << cuda().failed;
  }
}

TEST_F(CudaFailures, AnySymbolCanBeMissing) {
#define NAME(name, suffix, ...) #name #suffix,
  for (const char *name : {HEDDLE_CUDA(NAME)}) {
#undef NAME
    cuda().missing = name;
    EXPECT_EQ(openingFails(), std::string("CUDA's driver has no ") + name);
    EXPECT_EQ(cuda().alive, 0);
  }
}

TEST_F(CudaFailures, StatusesOfResults) {
  struct Case {
    heddle::CUresult result;
    heddle_status status;
    const char *words;
  } cases[] = {
      {heddle::CUDA_ERROR_OUT_OF_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"},
      {heddle::CUDA_ERROR_ILLEGAL_ADDRESS, HEDDLE_DEVICE_LOST,
       "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"},
      {heddle::CUDA_ERROR_STUB_LIBRARY, HEDDLE_UNSUPPORTED_DEVICE, "CUresult 34"},
      {heddle::CUresult(12345), HEDDLE_DEVICE_ERROR, "CUresult 12345"},
  };
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  cuda().failingFunction = "cuMemAlloc_v2";
  for (const Case &c : cases) {
    cuda().result = c.result;
    heddle_memory *memory = nullptr;
    EXPECT_EQ(device->allocate(device->self, 4, &memory), c.status);
    EXPECT_EQ(device->error(device->self), std::string("cuMemAlloc: ") + c.words);
    EXPECT_EQ(memory, nullptr);
  }
  cuda().result = heddle::CUDA_ERROR_UNKNOWN;
  cuda().failingFunction.clear();
  EXPECT_EQ(useOnce(device), HEDDLE_OK) << device->error(device->self);
  heddle_device_close(device);
}

TEST_F(CudaFailures, NoDevices) {
  cuda().devices = 0;
  EXPECT_EQ(openingFails(), "cuInit: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)");
}

TEST_F(CudaFailures, ADriverThatIsTooOld) {
  cuda().version = 11030;
  EXPECT_EQ(openingFails(), "the driver supports CUDA 11.3, but 11.4 or later is needed");
  cuda().missing = "cuGraphInstantiateWithFlags"; // CUDA 11.4 introduced this function
  EXPECT_EQ(openingFails(), "the driver supports CUDA 11.3, but 11.4 or later is needed");
  cuda().missing.clear();
  cuda().version = 11040;
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  EXPECT_STREQ(device->driver, "CUDA 11.4, sm_90");
  heddle_device_close(device);
}

TEST_F(CudaFailures, AnArchitectureThatIsTooOld) {
  cuda().architecture = 75;
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  Program program("ptx", "arithmetic", arithmeticKernels());
  EXPECT_EQ(loadingFails(device, program, HEDDLE_UNSUPPORTED_DEVICE), "the program is for sm_80, but cuda:0 is sm_75");
  heddle_device_close(device);
}

TEST_F(CudaFailures, TheErrorContainsTheLogOfTheCompiler) {
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  auto loadingTextFails = [&](std::string text, heddle_status expected) {
    Program program("ptx", "arithmetic", arithmeticKernels());
    program.program.bytes = text.data();
    program.program.size = text.size();
    return loadingFails(device, program, expected);
  };
  EXPECT_EQ(loadingTextFails(".version 8.8\n.target sm_80\n", HEDDLE_UNSUPPORTED_DEVICE),
            "CUDA's compiler: ptxas application ptx input, line 1; fatal   : Unsupported .version 8.8; current version "
            "is '8.4'");
  EXPECT_EQ(
      loadingTextFails(".version 8.0\n.target sm_80\nno.such.instruction\n", HEDDLE_DEVICE_ERROR),
      "CUDA's compiler: ptxas application ptx input, line 3; error   : Not a name of any known instruction: 'no'");
  EXPECT_EQ(loadingTextFails(".version 8.0\n.target sm_80\n", HEDDLE_INVALID_ARGUMENT),
            "the PTX has no kernel add_one");
  EXPECT_EQ(useOnce(device), HEDDLE_OK) << device->error(device->self);
  heddle_device_close(device);
}

// The kernels have workgroups of 64 threads, but their registers allow only 32.
TEST_F(CudaFailures, TooFewRegistersForItsThreads) {
  cuda().threads = 32;
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  Program program("ptx", "arithmetic", arithmeticKernels());
  EXPECT_EQ(loadingFails(device, program, HEDDLE_UNSUPPORTED_DEVICE),
            "add_one: 64 threads in a workgroup, but its code supports at most 32 on cuda:0");
  heddle_device_close(device);
}

// A request may exceed the total memory of the device, or the memory that other programs have not allocated.
TEST_F(CudaFailures, OutOfMemory) {
  cuda().memory = 1 << 20;
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  heddle_memory *memory = nullptr, *rest = nullptr;
  ASSERT_EQ(device->allocate(device->self, 1 << 19, &memory), HEDDLE_OK) << device->error(device->self);
  EXPECT_EQ(device->allocate(device->self, (1 << 19) + 1, &rest), HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_STREQ(device->error(device->self), "cuda:0 has 1048576 bytes, 524288 are in use, and 524289 more are needed");
  cuda().memory = 1 << 19;
  EXPECT_EQ(device->allocate(device->self, 1, &rest), HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_STREQ(device->error(device->self), "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(rest, nullptr);
  cuda().failingFunction = "cuMemHostAlloc";
  cuda().result = heddle::CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(useOnce(device), HEDDLE_OUT_OF_DEVICE_MEMORY);
  device->release(device->self, memory);
  cuda().failingFunction.clear();
  cuda().result = heddle::CUDA_ERROR_UNKNOWN;
  heddle_device_close(device);
}

// The driver reports an error of a kernel when the caller waits for the kernel. Afterwards every call fails, except
// calls that free objects.
TEST_F(CudaFailures, ADeviceThatIsLost) {
  heddle_device *device = open();
  ASSERT_TRUE(device) << heddle::lastError();
  Program program("ptx", "arithmetic", arithmeticKernels());
  heddle_view view = {0, 0, 256};
  heddle_launch launch = {AddOne, {1, 1, 1}, &view, nullptr};
  heddle_memory *memory = nullptr;
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr;
  ASSERT_EQ(device->allocate(device->self, 256, &memory), HEDDLE_OK);
  ASSERT_EQ(device->load(device->self, &program.program, &code), HEDDLE_OK);
  ASSERT_EQ(device->record_timed(device->self, code, &memory, 1, &launch, 1, 0, &launches), HEDDLE_OK);
  cuda().result = heddle::CUDA_ERROR_ILLEGAL_ADDRESS;
  for (const char *function : {"cuStreamSynchronize", "cuCtxPushCurrent_v2"}) {
    cuda().failingFunction = function;
    EXPECT_EQ(device->replay(device->self, launches, nullptr, 0, nullptr, 0), HEDDLE_DEVICE_LOST);
    double seconds = 0;
    EXPECT_EQ(device->times(device->self, launches, &seconds, 1), HEDDLE_INVALID_ARGUMENT);
  }
  EXPECT_EQ(device->upload(device->self, memory, 0, &view, 4), HEDDLE_DEVICE_LOST);
  cuda().failingFunction.clear();
  device->forget(device->self, launches);
  device->unload(device->self, code);
  device->release(device->self, memory);
  heddle_device_close(device);
  cuda().result = heddle::CUDA_ERROR_UNKNOWN;
}

} // namespace
