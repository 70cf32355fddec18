//===- cuda_test.cpp - behavior specific to CUDA devices ------------------===//
//
// Tests of the code in runtime/devices/cuda that do not apply to other devices.
// Except for the last test, they use the fake CUDA driver (FakeCuda.h).
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "FakeCuda.h"
#include "devices/cache.h"
#include "devices/cuda/cuda.h"

#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using fake::cuda;

namespace {
class CudaDevice : public testing::Test {
protected:
  heddle_device *device = nullptr;

  void SetUp() override {
    cuda().mistake.clear();
    device = open("0");
    ASSERT_TRUE(device) << heddle::lastError();
  }
  void TearDown() override {
    heddle_device_close(device);
    EXPECT_EQ(cuda().alive, 0);
    EXPECT_EQ(cuda().mistake, "");
    EXPECT_TRUE(fake::hasNoContext());
  }
  static heddle_device *open(const char *which) {
    heddle::Driver *driver = heddle::openCudaWith({&cuda(), fake::find}, which);
    return driver ? &driver->table : nullptr;
  }
};
} // namespace

TEST_F(CudaDevice, HasADescription) {
  EXPECT_STREQ(device->name, "cuda:0");
  EXPECT_STREQ(device->description, "Fake GPU A");
  EXPECT_STREQ(device->driver, "CUDA 12.4, sm_90");
  EXPECT_EQ(device->limits->workgroup_memory, 227u << 10);
  EXPECT_EQ(device->limits->workgroup_count[0], 0x7fffffffu);
  EXPECT_TRUE(device->features & HEDDLE_FEATURE_DENORM_PRESERVE);
}

TEST_F(CudaDevice, OneOfSeveral) {
  for (const char *which : {"1", "gpu b", "GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"}) {
    heddle_device *other = open(which);
    ASSERT_TRUE(other) << heddle::lastError();
    EXPECT_STREQ(other->name, "cuda:1");
    EXPECT_EQ(useOnce(other), HEDDLE_OK) << other->error(other->self);
    heddle_device_close(other);
  }
  EXPECT_EQ(open("2"), nullptr);
  EXPECT_STREQ(heddle::lastError(), "no device matches cuda:2 (0 is Fake GPU A, 1 is Fake GPU B)");
  EXPECT_EQ(open("Fake"), nullptr);
  EXPECT_STREQ(heddle::lastError(), "several devices match cuda:Fake (0 is Fake GPU A, 1 is Fake GPU B)");
}

// If a kernel needs more than 48 KiB of workgroup memory, cuFuncSetAttribute must raise the maximum before the launch.
TEST_F(CudaDevice, MoreWorkgroupMemoryThanTheDefault) {
  for (uint64_t size : {uint64_t(256), uint64_t(48 << 10) + 4, device->limits->workgroup_memory}) {
    Program program("ptx", "workgroup", {{"reverse", 1, {64, 1, 1}, size}});
    heddle_memory *memory = nullptr;
    heddle_code *code = nullptr;
    heddle_launches *launches = nullptr;
    heddle_view view = {0, 0, 256};
    heddle_launch launch = {0, {1, 1, 1}, &view, nullptr};
    std::vector<uint32_t> words = numbered(64);
    heddle_copy copy = {words.data(), 0, 0, 256};
    ASSERT_EQ(device->allocate(device->self, 256, &memory), HEDDLE_OK);
    ASSERT_EQ(device->load(device->self, &program.program, &code), HEDDLE_OK) << device->error(device->self);
    ASSERT_EQ(device->record(device->self, code, &memory, 1, &launch, 1, 256, &launches), HEDDLE_OK)
        << device->error(device->self);
    ASSERT_EQ(device->replay(device->self, launches, &copy, 1, &copy, 1), HEDDLE_OK) << device->error(device->self);
    EXPECT_EQ(words[0], 63u);
    device->forget(device->self, launches);
    device->unload(device->self, code);
    device->release(device->self, memory);
  }
}

// The counts of a heddle_launch, the numbers of workgroups to run, are known only when the launch begins, but CUDA
// needs the number of workgroups earlier. So all workgroups are launched, and the kernel itself must compare its
// workgroup with the counts. The kernel of this test does not do this, so both workgroups compute although the counts
// are 1.
TEST_F(CudaDevice, AllWorkgroupsAreLaunched) {
  Program program("ptx", "arithmetic", arithmeticKernels());
  heddle_memory *memory = nullptr;
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr;
  heddle_view view = {0, 0, 512}, counts = {0, 512, 12};
  heddle_launch launch = {AddOne, {2, 1, 1}, &view, &counts};
  std::vector<uint32_t> words = numbered(131);
  words[128] = words[129] = words[130] = 1;
  heddle_copy in = {words.data(), 0, 0, 524}, out = {words.data(), 0, 0, 512};
  ASSERT_EQ(device->allocate(device->self, 524, &memory), HEDDLE_OK);
  ASSERT_EQ(device->load(device->self, &program.program, &code), HEDDLE_OK);
  ASSERT_EQ(device->record(device->self, code, &memory, 1, &launch, 1, 524, &launches), HEDDLE_OK);
  ASSERT_EQ(device->replay(device->self, launches, &in, 1, &out, 1), HEDDLE_OK);
  words.resize(128);
  EXPECT_EQ(words, numbered(128, 1));
  device->forget(device->self, launches);
  device->unload(device->self, code);
  device->release(device->self, memory);
}

// A PTX text is compiled once, and not at all if a restored cache contains its compiled form. A driver with another
// version refuses the cache.
TEST_F(CudaDevice, CompiledCodeIsCached) {
  cuda().compiled = 0;
  ASSERT_EQ(useOnce(device), HEDDLE_OK);
  ASSERT_EQ(useOnce(device), HEDDLE_OK);
  EXPECT_EQ(cuda().compiled, 1);
  uint64_t size = 0;
  ASSERT_EQ(device->save_cache(device->self, nullptr, &size), HEDDLE_OK);
  std::vector<char> cache(size);
  ASSERT_EQ(device->save_cache(device->self, cache.data(), &size), HEDDLE_OK);
  heddle_device *later = open("0");
  ASSERT_EQ(later->restore_cache(later->self, cache.data(), size), HEDDLE_OK) << later->error(later->self);
  ASSERT_EQ(useOnce(later), HEDDLE_OK);
  EXPECT_EQ(cuda().compiled, 1);
  heddle_device_close(later);
  cuda().version = 12050;
  later = open("0");
  EXPECT_EQ(later->restore_cache(later->self, cache.data(), size), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(later->error(later->self)).find("the cache was not saved by cuda:0 with this driver"), 0u);
  ASSERT_EQ(useOnce(later), HEDDLE_OK);
  EXPECT_EQ(cuda().compiled, 2);
  heddle_device_close(later);
  cuda().version = 12040;
  // The seal of this data is valid, but the data ends in the middle of a cubin.
  cache.resize(size - 1);
  std::vector<char> own(cache.begin() + sizeof(heddle::CacheSeal), cache.end());
  heddle::CacheSeal seal = heddle::sealOf(own.data(), own.size());
  memcpy(cache.data(), &seal, sizeof seal);
  EXPECT_EQ(device->restore_cache(device->self, cache.data(), cache.size()), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(device->error(device->self), "the cache is damaged");
}

// If the host program uses CUDA, the context that is current in its thread is still current after each call.
TEST_F(CudaDevice, TheContextOfTheHostIsRestored) {
  auto *own = reinterpret_cast<heddle::CUcontext>(0x20);
  auto push = reinterpret_cast<heddle::CUresult (*)(heddle::CUcontext)>(fake::find(nullptr, "cuCtxPushCurrent_v2"));
  auto pop = reinterpret_cast<heddle::CUresult (*)(heddle::CUcontext *)>(fake::find(nullptr, "cuCtxPopCurrent_v2"));
  std::thread([&] {
    ASSERT_EQ(push(own), heddle::CUDA_SUCCESS);
    EXPECT_EQ(useOnce(device), HEDDLE_OK) << device->error(device->self);
    heddle::CUcontext left = nullptr;
    EXPECT_EQ(pop(&left), heddle::CUDA_SUCCESS);
    EXPECT_EQ(left, own);
    EXPECT_TRUE(fake::hasNoContext());
  }).join();
}

// CUDA's driver may hang in the child of a fork, so calls in the child return an error without calling the driver.
TEST_F(CudaDevice, RefusesCallsInTheChildOfAFork) {
  heddle_memory *memory = nullptr;
  ASSERT_EQ(device->allocate(device->self, 16, &memory), HEDDLE_OK);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int64_t calls = cuda().calls, alive = cuda().alive;
    int word = 0;
    heddle_status status = device->upload(device->self, memory, 0, &word, 4);
    bool isRefused = status == HEDDLE_DEVICE_ERROR &&
                     !strcmp(device->error(device->self),
                             "cuda:0 was opened before a fork: only the process that opened a CUDA device can use it");
    device->release(device->self, memory);
    heddle_device_close(device);
    _exit(isRefused && cuda().calls == calls && cuda().alive == alive ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  device->release(device->self, memory);
}

// Opens a device of the installed driver. The tests cuda_test.without-* in CMakeLists.txt run this test with missing
// and with faulty drivers.
TEST(CudaInstalled, Opens) {
  char error[512] = "";
  heddle_device *installed = heddle_device_open("cuda", error, sizeof error);
  size_t count = heddle_device_count("cuda", error, sizeof error);
  EXPECT_EQ(installed != nullptr, count > 0);
  if (!installed)
    GTEST_SKIP() << error;
  std::cout << "Opens: " << installed->description << ", " << installed->driver << "\n";
  EXPECT_EQ(useOnce(installed), HEDDLE_OK) << installed->error(installed->self);
  heddle_device_close(installed);
}
