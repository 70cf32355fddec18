//===- device_test.cpp - libraries on a device whose calls fail -----------===//
//
// The tests run on the null device, which needs no driver. Each call that a library makes to the device fails in turn,
// once or permanently. The library must return the error, release what it has allocated, and work again afterwards.
//
//===----------------------------------------------------------------------===//

#include "FaultyLibrary.h"

using namespace heddle;

namespace {

constexpr heddle_status faults[] = {HEDDLE_UNSUPPORTED_DEVICE, HEDDLE_OUT_OF_DEVICE_MEMORY, HEDDLE_DEVICE_LOST,
                                    HEDDLE_DEVICE_ERROR};

class DeviceLibrary : public FaultyLibrary {
protected:
  // A layer with weights, and with a bias that is a constant.
  static constexpr const char *layer = "linear m=37 n=96 k=64 bias=1 weights=constant";

  void SetUp() override {
    FaultyLibrary::SetUp();
    use(layer);
    inputs.assign(model->input_count, std::vector<float>(4096, 1));
    outputs.assign(model->output_count, std::vector<float>(4096, 1));
  }

  heddle_status run() {
    std::vector<const void *> in;
    std::vector<void *> out;
    for (auto &input : inputs)
      in.push_back(input.data());
    for (auto &output : outputs)
      out.push_back(output.data());
    return FaultyLibrary::run(in.data(), out.data());
  }

  std::vector<std::vector<float>> inputs, outputs;
};

TEST_F(DeviceLibrary, AnyCallOfInitCanFail) {
  ASSERT_EQ(init(), HEDDLE_OK);
  int64_t calls = faulty->calls, made = faulty->alive;
  // init() loads the code, allocates memory for the arena, the arguments and the weights, uploads weights and
  // constants, and records the launches.
  EXPECT_GE(calls, 6);
  model->deinit(words.data());
  EXPECT_EQ(faulty->alive, 0);
  for (bool forGood : {false, true})
    for (heddle_status fault : faults)
      for (int64_t call = 0; call < calls; ++call) {
        SCOPED_TRACE(call);
        faulty->fail(call, fault, forGood);
        EXPECT_EQ(init(), fault);
        EXPECT_EQ(faulty->calls, call + 1) << "init() must stop at the first failure";
        EXPECT_EQ(faulty->alive, 0);
        EXPECT_EQ(run(), HEDDLE_INVALID_ARGUMENT) << "run() must refuse a model that is not initialised";
        model->deinit(words.data());
      }
  faulty->fail(-1);
  EXPECT_EQ(init(), HEDDLE_OK);
  EXPECT_EQ(faulty->alive, made);
  EXPECT_EQ(run(), HEDDLE_OK);
  model->deinit(words.data());
}

TEST_F(DeviceLibrary, ReplayCanFail) {
  for (heddle_status fault : faults) {
      faulty->fail(-1);
    ASSERT_EQ(init(), HEDDLE_OK);
    faulty->fail(1, fault); // the second replay
    EXPECT_EQ(run(), HEDDLE_OK);
    EXPECT_EQ(run(), fault);
    EXPECT_EQ(run(), HEDDLE_OK) << "the replay after the failing one must succeed";
    faulty->fail(0, fault, /*forGood=*/true);
    EXPECT_EQ(run(), fault);
    EXPECT_EQ(run(), fault);
    model->deinit(words.data());
    EXPECT_EQ(faulty->alive, 0);
  }
}

// Index inputs must be in host memory, because the host checks their range.
TEST_F(DeviceLibrary, IndicesMustBeInHostMemory) {
  use(HEDDLE_TEST_MODEL);
  ASSERT_EQ(model->input_count, 3u);
  ASSERT_TRUE(model->inputs[1].flags & HEDDLE_RANGE);
  heddle_memory *memory = nullptr;
  ASSERT_EQ(inner->allocate(inner->self, 4096, &memory), HEDDLE_OK);
  ASSERT_EQ(init(), HEDDLE_OK);
  std::vector<int64_t> ids(14, 3);
  std::vector<float> y(2 * 39 * 7), z(14);
  heddle_place inputs[] = {{nullptr, memory, 0}, {ids.data(), nullptr, 0}, {nullptr, nullptr, 0}};
  heddle_place outputs[] = {{y.data(), nullptr, 0}, {nullptr, memory, 1024}};
  auto call = [&] { return runOnDevice(inputs, outputs); };
  EXPECT_EQ(call(), HEDDLE_OK);
  inputs[1] = {nullptr, memory, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  ids[7] = 7;
  inputs[1] = {ids.data(), nullptr, 0};
  EXPECT_EQ(call(), HEDDLE_INDEX_OUT_OF_RANGE);
  model->deinit(words.data());
  inner->release(inner->self, memory);
}

// After a device is lost, the host program can load code for the CPU and continue with it.
TEST_F(DeviceLibrary, CpuCodeRunsAfterDeviceLoss) {
  ASSERT_EQ(init(), HEDDLE_OK);
  faulty->fail(0, HEDDLE_DEVICE_LOST, /*forGood=*/true);
  ASSERT_EQ(run(), HEDDLE_DEVICE_LOST);
  model->deinit(words.data());
  std::unique_ptr<Session> onCpu = load("cpu", nullptr, layer);
  ASSERT_TRUE(onCpu);
  std::vector<float> in(37 * 64, 1), out(37 * 96, NAN);
  EXPECT_FALSE(bool(onCpu->run({in.data()}, {out.data()})));
  EXPECT_TRUE(llvm::none_of(out, [](float value) { return std::isnan(value); }));
}

// If a device causes an error, the error text ends with the text of heddle_device::error.
TEST_F(DeviceLibrary, ErrorsIncludeTheDevicesMessage) {
  auto wrapped = DevicePtr(&faulty->table, [](heddle_device *) {});
  faulty->fail(0, HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_FALSE(load("vulkan", wrapped, layer));
  faulty->fail(-1);
  std::unique_ptr<Session> other = load("vulkan", wrapped, layer);
  ASSERT_TRUE(other);
  faulty->fail(0, HEDDLE_DEVICE_LOST);
  std::string said = llvm::toString(other->run({inputs[0].data()}, {outputs[0].data()}));
  EXPECT_EQ(said, "model: the device stopped working: call 0 fails here");
  // An error that the device did not cause does not repeat the device's message.
  said = llvm::toString(other->run({nullptr}, {outputs[0].data()}));
  EXPECT_EQ(said, "model: a required pointer is null or misaligned, a size is out of range, or the model is not "
                   "initialised");
}

} // namespace
