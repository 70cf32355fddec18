//===- vulkan_failures_test.cpp - loaders and drivers that fail -----------===//
//
// If a function of Vulkan fails or is missing, or the loader is too old, Heddle
// must return a status and a message, and destroy all objects. FaultyVulkan.h
// makes calls fail and counts the objects that are not destroyed.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "FaultyVulkan.h"

namespace {

// The parameter is Vulkan::staged. If it is true, the host cannot access device memory, so copies need staging memory.
class VulkanFailures : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    char error[512];
    if (!heddle_device_count("vulkan", error, sizeof error))
      SKIP_OR_FAIL(error);
    faulty::vulkan().staged = GetParam();
  }
  void TearDown() override {
    faulty::vulkan().failing = -1;
    faulty::vulkan().missing.clear();
    faulty::vulkan().version = VK_API_VERSION_1_3;
    faulty::vulkan().noDevices = faulty::vulkan().noTimers = false;
    EXPECT_EQ(faulty::vulkan().alive, 0);
  }
  // Opens, uses and closes a device. Sets `words` to the message of a failure.
  heddle_status once(std::string &words) {
    faulty::vulkan().calls = 0;
    faulty::vulkan().failed.clear();
    heddle_device *device = faulty::open();
    words = heddle::lastError();
    if (!device)
      return HEDDLE_DEVICE_ERROR;
    heddle_status status = useOnce(device);
    words = device->error(device->self);
    EXPECT_EQ(static_cast<heddle::Driver *>(device->self)->allocated, 0u) << faulty::vulkan().failed;
    heddle_device_close(device);
    return status;
  }
  // Expects that no device can be opened, and returns the message.
  std::string openingFails() {
    heddle_device *device = faulty::open();
    EXPECT_EQ(device, nullptr);
    heddle_device_close(device);
    return heddle::lastError();
  }
};
INSTANTIATE_TEST_SUITE_P(, VulkanFailures, testing::Bool(),
                         [](auto &info) { return info.param ? "staged" : "direct"; });

// once() opens and uses a device, which takes a number of calls of Vulkan. once() is then repeated for each of these
// calls, and this call fails.
TEST_P(VulkanFailures, AnyCallCanFail) {
  std::string words;
  ASSERT_EQ(once(words), HEDDLE_OK) << words;
  int64_t calls = faulty::vulkan().calls;
  EXPECT_GT(calls, 30);
  faulty::vulkan().result = VK_ERROR_UNKNOWN;
  for (int64_t call = 0; call < calls; ++call) {
    faulty::vulkan().failing = call;
    EXPECT_EQ(once(words), HEDDLE_DEVICE_ERROR) << call;
    EXPECT_EQ(words, faulty::vulkan().failed + ": VkResult -13");
    EXPECT_EQ(faulty::vulkan().alive, 0) << faulty::vulkan().failed;
  }
}

TEST_P(VulkanFailures, StatusesOfResults) {
  struct Case {
    VkResult result;
    heddle_status status;
    const char *words;
  } cases[] = {
      {VK_ERROR_OUT_OF_DEVICE_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "the device is out of memory"},
      {VK_ERROR_OUT_OF_HOST_MEMORY, HEDDLE_OUT_OF_DEVICE_MEMORY, "the host is out of memory"},
      {VK_ERROR_DEVICE_LOST, HEDDLE_DEVICE_LOST, "the device is lost"},
      {VK_ERROR_FEATURE_NOT_PRESENT, HEDDLE_UNSUPPORTED_DEVICE, "a feature is missing"},
      {VkResult(-12345), HEDDLE_DEVICE_ERROR, "VkResult -12345"},
      {VK_TIMEOUT, HEDDLE_DEVICE_ERROR, "VkResult 2"},
  };
  heddle_device *device = faulty::open();
  ASSERT_TRUE(device);
  for (const Case &c : cases) {
    faulty::vulkan().calls = 0;
    faulty::vulkan().failing = 1; // call 0 is vkCreateBuffer, and call 1 is vkAllocateMemory
    faulty::vulkan().result = c.result;
    heddle_memory *memory = nullptr;
    EXPECT_EQ(device->allocate(device->self, 4, &memory), c.status);
    EXPECT_EQ(device->error(device->self), std::string("vkAllocateMemory: ") + c.words);
    EXPECT_EQ(memory, nullptr);
  }
  faulty::vulkan().failing = -1;
  EXPECT_EQ(useOnce(device), HEDDLE_OK) << device->error(device->self);
  heddle_device_close(device);
}

TEST_P(VulkanFailures, AnyFunctionCanBeMissing) {
#define NAME(name) #name,
  for (const char *name : {HEDDLE_VULKAN_GLOBAL(NAME) HEDDLE_VULKAN_INSTANCE(NAME) HEDDLE_VULKAN_DEVICE(NAME)}) {
#undef NAME
    faulty::vulkan().missing = name;
    EXPECT_EQ(openingFails(), std::string("Vulkan's driver has no ") + name);
    bool destroys = std::string(name) == "vkDestroyInstance" || std::string(name) == "vkDestroyDevice";
    EXPECT_EQ(faulty::vulkan().alive, destroys) << name; // without vkDestroy..., the object cannot be destroyed
    faulty::vulkan().alive = 0;
  }
}

TEST_P(VulkanFailures, NoDevices) {
  faulty::vulkan().noDevices = true;
  EXPECT_EQ(openingFails(), "Vulkan lists no device");
}

TEST_P(VulkanFailures, NoTimers) {
  faulty::vulkan().noTimers = true;
  heddle_device *device = faulty::open();
  ASSERT_TRUE(device) << heddle::lastError();
  heddle_launches *recorded = nullptr;
  EXPECT_EQ(device->record_timed(device->self, nullptr, nullptr, 0, nullptr, 0, 0, &recorded),
            HEDDLE_UNSUPPORTED_DEVICE);
  EXPECT_STREQ(device->error(device->self), "vulkan:0 has no timers");
  heddle_device_close(device);
}

TEST_P(VulkanFailures, AVersionThatIsTooOld) {
  faulty::vulkan().version = VK_API_VERSION_1_0;
  EXPECT_EQ(openingFails(), "the version of Vulkan is older than 1.1");
}

// With Vulkan 1.1, the features that are a part of Vulkan 1.2 must be found as extensions.
TEST_P(VulkanFailures, TheOldestSupportedVersion) {
  heddle_device *device = faulty::open();
  ASSERT_TRUE(device) << heddle::lastError();
  uint64_t features = device->features;
  std::string driver = device->driver;
  heddle_device_close(device);
  faulty::vulkan().version = VK_API_VERSION_1_1;
  device = faulty::open();
  ASSERT_TRUE(device) << heddle::lastError();
  EXPECT_EQ(device->features, features);
  EXPECT_EQ(device->driver, driver);
  EXPECT_EQ(useOnce(device), HEDDLE_OK) << device->error(device->self);
  heddle_device_close(device);
}

bool hasValidationLayer() {
  PFN_vkGetInstanceProcAddr loader = heddle::findVulkan();
  auto list = reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(
      loader ? loader(nullptr, "vkEnumerateInstanceLayerProperties") : nullptr);
  uint32_t count = 0;
  if (!list || list(&count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<VkLayerProperties> layers(count);
  return list(&count, layers.data()) == VK_SUCCESS &&
         std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties &layer) {
           return std::string(layer.layerName) == "VK_LAYER_KHRONOS_validation";
         });
}

// This test uses Vulkan wrongly on purpose: a kernel accesses more buffers than the program declares. The test checks
// no result. The ctest test vulkan_test.validation-control runs it and passes if the layers print an error.
// validated.sh runs it to find out whether the layers are installed and a device can be opened.
TEST(Validation, DetectsAMistake) {
  if (!getenv("VK_INSTANCE_LAYERS"))
    GTEST_SKIP() << "runs only if VK_INSTANCE_LAYERS is set";
  if (!hasValidationLayer())
    SKIP_OR_FAIL("no validation layer");
  std::string reason;
  heddle_device *device = testedDevices()[1].open(reason);
  if (!device)
    SKIP_OR_FAIL(reason);
  Program program(device->format, "arithmetic", {{"sum", 1, {threadsOfArithmetic, 1, 1}, 0}});
  heddle_code *code = nullptr;
  device->load(device->self, &program.program, &code);
  device->unload(device->self, code);
  heddle_device_close(device);
}

} // namespace
