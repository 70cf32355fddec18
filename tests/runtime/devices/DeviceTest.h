// DeviceTest.h - tests that every device must pass. A test that a device cannot run is skipped with the reason.
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
  bool executes;     // whether it executes kernels
  // An installed device, a device whose memory the host does not see, the fake one of FakeCuda.h, and the PTX
  // interpreter.
  enum { Installed, Staged, Fake, Interpreted } shown;

  heddle_device *open(std::string &reason) const; // returns NULL on failure, and sets the reason

  friend std::ostream &operator<<(std::ostream &os, const TestedDevice &device) { return os << device.name; }
};

// Returns the devices to test: the null device; the Vulkan devices, at least vulkan:0, which is also tested as a device
// whose memory the host does not see; a fake CUDA device, which needs no GPU; and the devices that CUDA lists. Tests of
// devices that cannot be opened are skipped. With HEDDLE_TEST_INTERPRETER, the only device is the PTX interpreter.
const std::vector<TestedDevice> &testedDevices();
inline std::string labelOf(const testing::TestParamInfo<TestedDevice> &info) { return info.param.label; }

// Return those of the devices that execute kernels, that execute kernels in SPIR-V, and that accept SPIR-V.
const std::vector<TestedDevice> &executingDevices();
const std::vector<TestedDevice> &executingSpirvDevices();
const std::vector<TestedDevice> &spirvDevices();

#define HEDDLE_SUITE_ON(Name, devices)                                                                                 \
  class Name : public DeviceTest {};                                                                                   \
  INSTANTIATE_TEST_SUITE_P(, Name, testing::ValuesIn(devices()), labelOf)
#define HEDDLE_DEVICE_SUITE(Name) HEDDLE_SUITE_ON(Name, testedDevices)
#define HEDDLE_KERNEL_SUITE(Name) HEDDLE_SUITE_ON(Name, executingDevices)

// Skips a test that cannot run, or fails if HEDDLE_TESTS_NEED_TOOLS demands that it runs.
#define SKIP_OR_FAIL(reason)                                                                                           \
  do {                                                                                                                 \
    if (getenv("HEDDLE_TESTS_NEED_TOOLS"))                                                                            \
      FAIL() << (reason);                                                                                              \
    GTEST_SKIP() << (reason);                                                                                          \
  } while (false)

// A program that is made from kernels/NAME.spvasm or NAME.ptx.
struct Program {
  std::vector<uint32_t> words; // text is padded with newlines
  std::vector<heddle_kernel> kernels;
  heddle_program program;

  Program(const char *format, const std::string &file, std::vector<heddle_kernel> kernels, uint64_t features = 0);
  Program(Program &&) = delete;
};

// The kernels of arithmetic.spvasm and arithmetic.ptx, each on words, in workgroups of 64 threads. The SPIR-V kernels
// stop at the end of their buffers. PTX kernels do not know the end.
enum Arithmetic { AddOne, Twice, Sum };
constexpr uint64_t threadsOfArithmetic = 64;
const std::vector<heddle_kernel> &arithmeticKernels();

// Uses the device as a model does: memory, weights, code, launches, a run. Frees everything, whatever call fails.
heddle_status useOnce(heddle_device *device);

std::vector<uint32_t> numbered(size_t count, uint32_t first = 0); // returns first, first + 1, ...

class DeviceTest : public testing::TestWithParam<TestedDevice> {
protected:
  heddle_device *device = nullptr; // the same one for all tests of the process

  void SetUp() override;
  void TearDown() override; // releases everything that the functions below allocated

  heddle_memory *allocate(uint64_t size);
  heddle_memory *memoryOf(const std::vector<uint32_t> &words);
  std::vector<uint32_t> wordsOf(heddle_memory *memory, size_t count);
  heddle_code *load(const Program &program);
  heddle_code *loadArithmetic();
  heddle_launches *record(heddle_code *code, const std::vector<heddle_memory *> &memories,
                          const std::vector<heddle_launch> &launches, uint64_t staging = 0);
  heddle_launches *recordTimed(heddle_code *code, const std::vector<heddle_memory *> &memories,
                               const std::vector<heddle_launch> &launches, uint64_t staging = 0);
  heddle_status replay(heddle_launches *launches, const std::vector<heddle_copy> &in = {},
                       const std::vector<heddle_copy> &out = {});
  std::string error() { return device->error(device->self); }

private:
  std::vector<heddle_memory *> memories;
  std::vector<heddle_code *> codes;
  std::vector<heddle_launches *> recordings;
};

#endif // HEDDLE_TESTS_DEVICES_DEVICETEST_H
