//===- DeviceTest.cpp - devices and their test fixtures -------------------===//

#include "DeviceTest.h"
#include "FakeCuda.h"
#include "FaultyVulkan.h"
#include "devices/cuda/cuda.h"
#ifdef HEDDLE_TEST_INTERPRETER
#include "heddle/InterpretedDevice.h"
#endif

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <numeric>

#ifdef HEDDLE_TEST_INTERPRETER
// The suite Counts of replay_test.cpp is for devices that execute SPIR-V. The interpreter of PTX does not.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Counts);
#endif

// Mesa's Vulkan driver for CPUs caches compiled shaders in the build folder, unless MESA_SHADER_CACHE_DIR is set.
[[maybe_unused]] static const int shaderCache =
    setenv("MESA_SHADER_CACHE_DIR", HEDDLE_TEST_SHADER_CACHE, /*overwrite=*/0);

// The sanitizers ignore reports that name these libraries: Mesa's driver leaks memory for each instance, the validation
// layer leaks memory for each submission, and ThreadSanitizer does not know how the threads of the driver synchronise.
// `driver` keeps Mesa's driver loaded until the process ends, because reports cannot name a library that was unloaded.
extern "C" const char *__lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\nleak:libVkLayer_khronos_validation.so\n";
}
extern "C" const char *__tsan_default_suppressions() { return "race:libvulkan_lvp.so\n"; }
[[maybe_unused]] static void *const driver = dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL);

const std::vector<TestedDevice> &testedDevices() {
  static const std::vector<TestedDevice> devices = [] {
#ifdef HEDDLE_TEST_INTERPRETER
    return std::vector<TestedDevice>{
        {"cuda_interpreted", "cuda-interpreted", true, TestedDevice::Interpreted}};
#endif
    std::vector<TestedDevice> devices = {{"null", "null", false, TestedDevice::Installed},
                                         {"vulkan0", "vulkan:0", true, TestedDevice::Installed},
                                         {"vulkan0_staged", "vulkan:0", true, TestedDevice::Staged},
                                         {"cuda_fake", "cuda:0", true, TestedDevice::Fake}};
    auto addInstalled = [&](const std::string &kind, size_t first) {
      char error[256];
      size_t count = heddle_device_count(kind.c_str(), error, sizeof error);
      for (size_t i = first; i < count; ++i)
        devices.push_back(
            {kind + std::to_string(i), kind + ":" + std::to_string(i), true, TestedDevice::Installed});
    };
    addInstalled("vulkan", 1);
    addInstalled("cuda", 0);
    return devices;
  }();
  return devices;
}

/// Returns the devices for which `keep` returns true.
template <typename Keep> static std::vector<TestedDevice> devicesWhere(Keep keep) {
  std::vector<TestedDevice> kept;
  std::copy_if(testedDevices().begin(), testedDevices().end(), std::back_inserter(kept), keep);
  return kept;
}
static bool takesSpirv(const TestedDevice &device) { return device.name.find("cuda") != 0; }

const std::vector<TestedDevice> &executingDevices() {
  static const auto devices = devicesWhere([](auto &device) { return device.executes; });
  return devices;
}
const std::vector<TestedDevice> &executingSpirvDevices() {
  static const auto devices = devicesWhere([](auto &device) { return device.executes && takesSpirv(device); });
  return devices;
}
const std::vector<TestedDevice> &spirvDevices() {
  static const auto devices = devicesWhere(takesSpirv);
  return devices;
}

namespace {
/// A device that all tests of the process share.
struct Opened {
  heddle_device *device; // owned; NULL if the device cannot be opened
  std::string reason;    // the reason why the device is NULL
  ~Opened() { heddle_device_close(device); }
};
} // namespace

heddle_device *TestedDevice::open(std::string &reason) const {
#ifdef HEDDLE_TEST_INTERPRETER
  if (shown == Interpreted)
    return heddle::openInterpretedDevice(name.c_str());
#endif
  if (shown == Fake) {
    heddle::Driver *driver = heddle::openCudaWith({&fake::cuda(), fake::find}, "0");
    reason = driver ? "" : heddle::lastError();
    return driver ? &driver->table : nullptr;
  }
  if (shown == Staged) {
    faulty::vulkan().staged = true;
    heddle_device *device = faulty::open();
    reason = device ? "" : heddle::lastError();
    return device;
  }
  char error[512] = "";
  heddle_device *device = heddle_device_open(name.c_str(), error, sizeof error);
  reason = error;
  return device;
}

namespace {
// Closes the devices after the last test. A static destructor would be too late, because drivers and layers may already
// be unloaded.
struct OpenDevices : testing::Environment {
  std::map<std::string, std::unique_ptr<Opened>> devices; // the opened devices by label
  void TearDown() override { devices.clear(); }
};
OpenDevices *const openDevices = new OpenDevices;
const testing::Environment *const registered = testing::AddGlobalTestEnvironment(openDevices);
} // namespace

/// Opens the device if no test has opened it before.
static const Opened &openOnce(const TestedDevice &tested) {
  std::unique_ptr<Opened> &opened = openDevices->devices[tested.label];
  if (!opened) {
    std::string reason;
    heddle_device *device = tested.open(reason);
    opened.reset(new Opened{device, reason});
  }
  return *opened;
}

Program::Program(const char *format, const std::string &file, std::vector<heddle_kernel> kernels, uint64_t features)
    : kernels(std::move(kernels)) {
  bool isText = strcmp(format, "ptx") == 0;
  std::ifstream stream(HEDDLE_TEST_KERNELS "/" + file + (isText ? ".ptx" : ".spv"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  bytes.resize((bytes.size() + 3) / 4 * 4, '\n'); // SPIR-V already consists of words of 4 bytes
  words.resize(bytes.size() / 4);
  bytes.copy(reinterpret_cast<char *>(words.data()), words.size() * 4);
  program = {format, words.data(), words.size() * 4, this->kernels.size(), this->kernels.data(), features};
}

const std::vector<heddle_kernel> &arithmeticKernels() {
  static const std::vector<heddle_kernel> kernels = {{"add_one", 1, {threadsOfArithmetic, 1, 1}, 0},
                                                     {"twice", 1, {threadsOfArithmetic, 1, 1}, 0},
                                                     {"sum", 3, {threadsOfArithmetic, 1, 1}, 0}};
  return kernels;
}

std::vector<uint32_t> numbered(size_t count, uint32_t first) {
  std::vector<uint32_t> words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

heddle_status useOnce(heddle_device *device) {
  Program program(device->format, "arithmetic", arithmeticKernels());
  heddle_view view = {0, 0, 256};
  heddle_launch launch = {AddOne, {1, 1, 1}, &view, nullptr};
  std::vector<uint32_t> words = numbered(64), out(64);
  heddle_copy copyIn = {words.data(), 0, 0, 256}, copyOut = {out.data(), 0, 0, 256};
  heddle_memory *memory = nullptr, *other = nullptr, *none = nullptr;
  heddle_code *code = nullptr;
  heddle_launches *launches = nullptr, *timed = nullptr, *open = nullptr;
  heddle_status status = device->allocate(device->self, 256, &memory);
  if (!status)
    status = device->upload(device->self, memory, 0, words.data(), 256);
  if (!status)
    status = device->load(device->self, &program.program, &code);
  if (!status)
    status = device->record(device->self, code, &memory, 1, &launch, 1, 256, &launches);
  if (!status)
    status = device->replay(device->self, launches, &copyIn, 1, &copyOut, 1);
  double seconds = -1;
  if (!status)
    status = device->record_timed(device->self, code, &memory, 1, &launch, 1, 256, &timed);
  if (!status)
    status = device->replay(device->self, timed, &copyIn, 1, &copyOut, 1);
  if (!status)
    status = device->times(device->self, timed, &seconds, 1);
  if (!status)
    status = device->allocate(device->self, 256, &other);
  if (!status)
    status = device->upload(device->self, other, 0, words.data(), 256);
  if (!status)
    status = device->record(device->self, code, &none, 1, &launch, 1, 0, &open);
  for (heddle_memory *bound : {memory, other}) {
    heddle_binding binding = {0, bound, 0, 256};
    if (!status)
      status = device->replay_with(device->self, open, &binding, 1, nullptr, 0, nullptr, 0);
  }
  if (!status)
    status = device->download(device->self, memory, 0, out.data(), 256);
  uint64_t cacheSize = 0;
  if (!status)
    status = device->save_cache(device->self, nullptr, &cacheSize);
  std::vector<char> cache(cacheSize);
  if (!status)
    status = device->save_cache(device->self, cache.data(), &cacheSize);
  if (!status)
    status = device->restore_cache(device->self, cache.data(), cacheSize);
  device->forget(device->self, open);
  device->forget(device->self, timed);
  device->forget(device->self, launches);
  device->unload(device->self, code);
  device->release(device->self, other);
  device->release(device->self, memory);
  return status;
}

void DeviceTest::SetUp() {
  const Opened &opened = openOnce(GetParam());
  device = opened.device;
  std::string reason = opened.reason;
  if (device && strcmp(device->format, "spirv") == 0 && !std::ifstream(HEDDLE_TEST_KERNELS "/arithmetic.spv"))
    reason = "built without spirv-as, which assembles the kernels";
  if (!reason.empty())
    SKIP_OR_FAIL(reason);
}

void DeviceTest::TearDown() {
  for (heddle_launches *launches : recordings)
    device->forget(device->self, launches);
  for (heddle_code *code : codes)
    device->unload(device->self, code);
  for (heddle_memory *memory : memories)
    device->release(device->self, memory);
  EXPECT_EQ(fake::cuda().mistake, "");
}

heddle_memory *DeviceTest::allocate(uint64_t size) {
  heddle_memory *memory = nullptr;
  EXPECT_EQ(device->allocate(device->self, size, &memory), HEDDLE_OK) << error();
  memories.push_back(memory);
  return memory;
}

heddle_memory *DeviceTest::memoryOf(const std::vector<uint32_t> &words) {
  heddle_memory *memory = allocate(words.size() * 4);
  EXPECT_EQ(device->upload(device->self, memory, 0, words.data(), words.size() * 4), HEDDLE_OK) << error();
  return memory;
}

std::vector<uint32_t> DeviceTest::wordsOf(heddle_memory *memory, size_t count) {
  std::vector<uint32_t> words(count);
  EXPECT_EQ(device->download(device->self, memory, 0, words.data(), count * 4), HEDDLE_OK) << error();
  return words;
}

heddle_code *DeviceTest::load(const Program &program) {
  heddle_code *code = nullptr;
  EXPECT_EQ(device->load(device->self, &program.program, &code), HEDDLE_OK) << error();
  codes.push_back(code);
  return code;
}

heddle_code *DeviceTest::loadArithmetic() { return load(Program(device->format, "arithmetic", arithmeticKernels())); }

heddle_launches *DeviceTest::record(heddle_code *code, const std::vector<heddle_memory *> &memories,
                                    const std::vector<heddle_launch> &launches, uint64_t staging) {
  heddle_launches *recorded = nullptr;
  EXPECT_EQ(device->record(device->self, code, memories.data(), memories.size(), launches.data(), launches.size(),
                           staging, &recorded),
            HEDDLE_OK)
      << error();
  recordings.push_back(recorded);
  return recorded;
}

heddle_launches *DeviceTest::recordTimed(heddle_code *code, const std::vector<heddle_memory *> &memories,
                                         const std::vector<heddle_launch> &launches, uint64_t staging) {
  heddle_launches *recorded = nullptr;
  EXPECT_EQ(device->record_timed(device->self, code, memories.data(), memories.size(), launches.data(),
                                 launches.size(), staging, &recorded),
            HEDDLE_OK)
      << error();
  recordings.push_back(recorded);
  return recorded;
}

heddle_status DeviceTest::replay(heddle_launches *launches, const std::vector<heddle_copy> &in,
                                 const std::vector<heddle_copy> &out) {
  return device->replay(device->self, launches, in.data(), in.size(), out.data(), out.size());
}
