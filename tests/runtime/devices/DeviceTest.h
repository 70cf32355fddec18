// DeviceTest.h - the fixture of tests that run on several devices. If a device cannot run a test, the test is skipped
// with the reason. If the device cannot be opened and HEDDLE_TESTS_NEED_TOOLS is set, the test fails instead.
#ifndef HEDDLE_TESTS_DEVICES_DEVICETEST_H
#define HEDDLE_TESTS_DEVICES_DEVICETEST_H

#include "heddle/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct TestedDevice {
  std::string label; // a part of the names of tests
  std::string name;  // the name for heddle_device_open
  bool executes;     // whether the device executes kernels
  // Installed: an installed device. Staged: an installed Vulkan device, opened through FaultyVulkan.h, whose memory the
  // host cannot map. Fake: the CUDA driver of FakeCuda.h. Interpreted: the PTX interpreter.
  enum { Installed, Staged, Fake, Interpreted } shown;

  // Opens the device; the caller closes it. Returns NULL on failure, and sets the reason.
  heddle_device *open(std::string &reason) const;

  friend std::ostream &operator<<(std::ostream &os, const TestedDevice &device) { return os << device.name; }
};

// Returns the devices to test: the null device, which executes no kernels; the Vulkan devices, at least vulkan:0, which
// is tested a second time with memory that the host cannot access; a fake CUDA device, which needs no GPU; and the
// devices that CUDA lists. With HEDDLE_TEST_INTERPRETER, the only device is the PTX interpreter.
const std::vector<TestedDevice> &testedDevices();
inline std::string labelOf(const testing::TestParamInfo<TestedDevice> &info) { return info.param.label; }

// Return parts of testedDevices(): the devices that execute kernels, the devices that execute kernels in SPIR-V, and
// the devices that accept SPIR-V.
const std::vector<TestedDevice> &executingDevices();
const std::vector<TestedDevice> &executingSpirvDevices();
const std::vector<TestedDevice> &spirvDevices();

// These macros define a test suite whose tests (TEST_P) run on each device of a list: `devices()`, all devices, or the
// devices that execute kernels.
#define HEDDLE_SUITE_ON(Name, devices)                                                                                 \
  class Name : public DeviceTest {};                                                                                   \
  INSTANTIATE_TEST_SUITE_P(, Name, testing::ValuesIn(devices()), labelOf)
#define HEDDLE_DEVICE_SUITE(Name) HEDDLE_SUITE_ON(Name, testedDevices)
#define HEDDLE_KERNEL_SUITE(Name) HEDDLE_SUITE_ON(Name, executingDevices)

// Skips a test that cannot run. If HEDDLE_TESTS_NEED_TOOLS is set, the test fails instead.
#define SKIP_OR_FAIL(reason)                                                                                           \
  do {                                                                                                                 \
    if (getenv("HEDDLE_TESTS_NEED_TOOLS"))                                                                            \
      FAIL() << (reason);                                                                                              \
    GTEST_SKIP() << (reason);                                                                                          \
  } while (false)

// A program that was assembled from kernels/FILE.spvasm, or is kernels/FILE.ptx. `format` is "spirv" or "ptx", and
// `features` are the HEDDLE_FEATURE_* bits that the program needs.
struct Program {
  std::vector<uint32_t> words; // the bytes of the program; text is padded with newlines
  std::vector<heddle_kernel> kernels;
  heddle_program program; // points to the members above

  Program(const char *format, const std::string &file, std::vector<heddle_kernel> kernels, uint64_t features = 0);
  Program(Program &&) = delete;
};

// The indices of the kernels of arithmetic.spvasm and arithmetic.ptx, which compute with 32-bit integers in workgroups
// of 64 threads. In SPIR-V, threads beyond the end of a buffer do nothing. PTX kernels do not get the lengths of
// buffers, so all threads compute.
enum Arithmetic { AddOne, Twice, Sum };
constexpr uint64_t threadsOfArithmetic = 64;
const std::vector<heddle_kernel> &arithmeticKernels();

// Uses the device as a model does: allocates memory, uploads weights, loads code, records and replays launches, also
// with timers and with memories that are bound only for a replay (replay_with). Then downloads data, and saves and
// restores the cache. Frees all objects, even if a call fails. Returns the status of the first call that fails, or
// HEDDLE_OK.
heddle_status useOnce(heddle_device *device);

std::vector<uint32_t> numbered(size_t count, uint32_t first = 0); // returns first, first + 1, ...

class DeviceTest : public testing::TestWithParam<TestedDevice> {
protected:
  heddle_device *device = nullptr; // the device of the test; all tests of the process on this device share it

  void SetUp() override;
  void TearDown() override; // releases everything that the functions below allocated

  // Call functions of the device. If a call fails, the test fails.
  heddle_memory *allocate(uint64_t size);
  heddle_memory *memoryOf(const std::vector<uint32_t> &words);        // allocates memory and uploads the words
  std::vector<uint32_t> wordsOf(heddle_memory *memory, size_t count); // downloads the first words
  heddle_code *load(const Program &program);
  heddle_code *loadArithmetic();
  // `staging` limits the number of bytes that one replay copies from the host, and also the number that it copies back.
  heddle_launches *record(heddle_code *code, const std::vector<heddle_memory *> &memories,
                          const std::vector<heddle_launch> &launches, uint64_t staging = 0);
  heddle_launches *recordTimed(heddle_code *code, const std::vector<heddle_memory *> &memories,
                               const std::vector<heddle_launch> &launches, uint64_t staging = 0);
  // Returns the status of the replay, which the test checks.
  heddle_status replay(heddle_launches *launches, const std::vector<heddle_copy> &in = {},
                       const std::vector<heddle_copy> &out = {});
  // Returns the message of the last failure in this thread.
  std::string error() { return device->error(device->self); }

private:
  std::vector<heddle_memory *> memories;
  std::vector<heddle_code *> codes;
  std::vector<heddle_launches *> recordings;
};

#endif // HEDDLE_TESTS_DEVICES_DEVICETEST_H
