//===- instance_test.cpp - initialised models -----------------------------===//
//
// heddle_instance_create selects a variant of a model (the code for one CPU)
// and loads its weights. A failure must return an error text and leave nothing
// allocated.
//
//===----------------------------------------------------------------------===//

#include "DescribedModel.h"

#include "heddle/device.h"
#include "heddle/instance.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace {

struct FreeInstance {
  void operator()(heddle_instance *instance) const { heddle_instance_destroy(instance); }
};
using InstancePtr = std::unique_ptr<heddle_instance, FreeInstance>;

class Instance : public testing::Test {
protected:
  /// Creates an instance of `described` and sets `error` to the error, or "" if there is none.
  InstancePtr create(const heddle_instance_options *given) {
    char text[300] = "";
    InstancePtr instance(heddle_instance_create(&described.model, given, text, sizeof text));
    error = text;
    EXPECT_EQ(instance == nullptr, !error.empty());
    return instance;
  }
  /// Creates an instance with `options`. Returns the error, or "" if there is none.
  std::string whyNot() {
    create(&options);
    return error;
  }
  /// Writes a file to the folder for temporary files. Returns its path.
  std::string write(const char *name, const char *text) {
    std::string path = testing::TempDir() + name;
    FILE *file = fopen(path.c_str(), "wb");
    EXPECT_TRUE(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
  }

  DescribedModel described;
  heddle_instance_options options = {sizeof options, nullptr, nullptr, nullptr, 0, nullptr};
  std::string error;
};

TEST_F(Instance, HasTheRequestedVariant) {
  InstancePtr instance = create(nullptr);
  ASSERT_TRUE(instance);
  EXPECT_STREQ(heddle_instance_variant(instance.get()), "fast");
  EXPECT_STREQ(heddle_instance_model(instance.get())->name, "described");
  EXPECT_TRUE(heddle_instance_state(instance.get()));
  EXPECT_FALSE(heddle_instance_device(instance.get()));
  options.variant = "slow";
  instance = create(&options);
  ASSERT_TRUE(instance);
  EXPECT_STREQ(heddle_instance_variant(instance.get()), "slow");
  options.variant = "other";
  EXPECT_EQ(whyNot(), "described: it has no code for other; it has code for fast, slow");
}

TEST_F(Instance, TakesWeightsInMemoryOrInAFile) {
  options.weights = "weights";
  options.weights_size = 7;
  EXPECT_EQ(whyNot(), "");
  options.weights_size = 6;
  EXPECT_EQ(whyNot(), "described: the weights are truncated, altered, or of another model");
  std::string path = write("instance_test.weights", "weights");
  options.weights_path = path.c_str();
  EXPECT_EQ(whyNot(), "described: weights are given twice, in memory and as a file");
  options.weights = nullptr;
  EXPECT_EQ(whyNot(), "");
  std::string wrong = write("instance_test.wrong", "weight!"), empty = write("instance_test.empty", "");
  options.weights_path = wrong.c_str();
  EXPECT_EQ(whyNot(), "described: the weights are truncated, altered, or of another model: " + wrong);
  options.weights_path = empty.c_str();
  EXPECT_EQ(whyNot(), empty + ": the file is empty");
  options.weights_path = "/nonexistent/weights";
  EXPECT_EQ(whyNot(), "/nonexistent/weights: No such file or directory");
  options.weights_path = "/";
  EXPECT_EQ(whyNot(), "/: not a regular file");
  for (const std::string &file : {path, wrong, empty})
    remove(file.c_str());
}

/// A program that was compiled with another version of the header passes a shorter or a longer struct, and struct_size
/// is its size. Members beyond struct_size must not be read.
TEST_F(Instance, OptionsOfOtherVersionsAreRead) {
  options.variant = "slow";
  options.weights = "wrong";
  options.struct_size = offsetof(heddle_instance_options, weights_path); // a struct that ends before the weights
  InstancePtr instance = create(&options);
  ASSERT_TRUE(instance) << error;
  EXPECT_STREQ(heddle_instance_variant(instance.get()), "slow");
  struct {
    heddle_instance_options options;
    uint64_t more[4];
  } later = {{sizeof later, "slow", nullptr, nullptr, 0, nullptr}, {1, 2, 3, 4}};
  EXPECT_TRUE(create(&later.options));
  options.struct_size = 0;
  EXPECT_EQ(whyNot(), "struct_size of the options is 0, not sizeof(struct heddle_instance_options)");
}

TEST_F(Instance, CodeForACpuRefusesADevice) {
  char reason[100];
  heddle_device *device = heddle_device_open("null", reason, sizeof reason);
  ASSERT_TRUE(device) << reason;
  options.device = device;
  EXPECT_EQ(whyNot(), "described: its code is for a CPU, but a device is given");
  heddle_device_close(device);
}

TEST_F(Instance, NoModelIsAnError) {
  char text[100];
  EXPECT_FALSE(heddle_instance_create(nullptr, nullptr, text, sizeof text));
  EXPECT_STREQ(text, "the pointer to the model is NULL");
  EXPECT_FALSE(heddle_instance_create(nullptr, nullptr, nullptr, 0));
  described.model.needs = 2;
  create(nullptr);
  EXPECT_EQ(error, "needs a feature that this version of heddle does not support");
  heddle_instance_destroy(nullptr);
}

/// Functions of a model for a device, which count the instances that are not freed yet.
struct OnDevice {
  static inline int alive;
  static heddle_status init(void *, const void *, size_t, const heddle_device *device) {
    alive += device != nullptr;
    return device ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT;
  }
  static heddle_status fail(void *, const void *, size_t, const heddle_device *) { return HEDDLE_OUT_OF_DEVICE_MEMORY; }
  static void deinit(void *) { --alive; }
};

TEST_F(Instance, IsFreedOnItsDevice) {
  described.model.device = "null";
  described.model.init_on_device = OnDevice::init;
  described.model.deinit = OnDevice::deinit;
  described.model.run_on_device = [](const void *, const size_t *, const heddle_place *, const heddle_place *, void *,
                                     size_t) { return HEDDLE_OK; };
  EXPECT_EQ(whyNot(), "described: its code is for a device of the kind null, but no device is given");
  char reason[100];
  heddle_device *device = heddle_device_open("null", reason, sizeof reason);
  ASSERT_TRUE(device) << reason;
  options.device = device;
  InstancePtr instance = create(&options);
  ASSERT_TRUE(instance) << error;
  EXPECT_EQ(heddle_instance_device(instance.get()), device);
  EXPECT_EQ(OnDevice::alive, 1);
  instance.reset();
  EXPECT_EQ(OnDevice::alive, 0);
  described.model.init_on_device = OnDevice::fail;
  EXPECT_EQ(whyNot().rfind("described: the device has no memory left: ", 0), 0u) << error;
  EXPECT_EQ(OnDevice::alive, 0);
  heddle_device_close(device);
}

} // namespace
