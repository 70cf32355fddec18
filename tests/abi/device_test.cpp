//===- device_test.cpp - libraries on a device that fails -----------------===//
//
// Without a driver, on the null device: each call that a library makes of it
// fails, once or from then on.
//
//===----------------------------------------------------------------------===//

#include "runtime/devices/FaultyDevice.h"

#include "heddle/Compile.h"
#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr heddle_status faults[] = {HEDDLE_UNSUPPORTED_DEVICE, HEDDLE_OUT_OF_DEVICE_MEMORY, HEDDLE_DEVICE_LOST,
                                    HEDDLE_DEVICE_ERROR};

class DeviceLibrary : public testing::Test {
protected:
  void SetUp() override {
    auto opened = openDevice("null");
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    null = std::move(*opened);
    faulty = std::make_unique<FaultyDevice>(null.get());
    session = load("vulkan", null);
    ASSERT_TRUE(session);
    model = &session->model();
    inputs.assign(model->input_count, std::vector<float>(4096, 1));
    outputs.assign(model->output_count, std::vector<float>(4096, 1));
    arena.resize(model->arena_size(nullptr, 1));
  }

  // A layer with weights and a bias, which is a constant.
  std::unique_ptr<Session> load(StringRef kind, DevicePtr device,
                                StringRef text = "linear m=37 n=96 k=64 bias=1 weights=constant") {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    loadImportDialects(context);
    auto imported = importModel(context, text);
    CompileOptions options;
    options.target.device = kind.str();
    if (failed(imported))
      return nullptr;
    auto compiled = compileModel(std::move(*imported), options);
    if (failed(compiled))
      return nullptr;
    weights = compiled->weights;
    auto loaded = loadHere(std::move(*compiled), "model", "", std::move(device));
    return loaded ? std::move(*loaded) : (llvm::consumeError(loaded.takeError()), nullptr);
  }

  heddle_status init(std::array<uint64_t, 12> &state) {
    return model->init_on_device(state.data(), weights.data(), weights.size(), &faulty->table);
  }
  heddle_status run(std::array<uint64_t, 12> &state) {
    std::vector<const void *> in;
    std::vector<void *> out;
    for (auto &input : inputs)
      in.push_back(input.data());
    for (auto &output : outputs)
      out.push_back(output.data());
    return model->run(state.data(), nullptr, in.data(), out.data(), arena.data(), arena.size(), nullptr);
  }

  DevicePtr null;
  std::unique_ptr<FaultyDevice> faulty;
  std::vector<char> weights, arena;
  std::unique_ptr<Session> session; // keeps the code loaded
  const heddle_model *model = nullptr;
  std::vector<std::vector<float>> inputs, outputs;
};

TEST_F(DeviceLibrary, AnyCallOfInitCanFail) {
  std::array<uint64_t, 12> state = {};
  ASSERT_EQ(init(state), HEDDLE_OK);
  int64_t calls = faulty->calls, made = faulty->alive;
  EXPECT_GE(calls, 6); // load, two memories and that of the weights, two uploads, record
  model->deinit(state.data());
  EXPECT_EQ(faulty->alive, 0);
  for (bool forGood : {false, true})
    for (heddle_status fault : faults)
      for (int64_t call = 0; call < calls; ++call) {
        SCOPED_TRACE(call);
        faulty->fail(call, fault, forGood);
        EXPECT_EQ(init(state), fault);
        EXPECT_EQ(faulty->calls, call + 1) << "it goes on after a failure";
        EXPECT_EQ(faulty->alive, 0);
        EXPECT_EQ(run(state), HEDDLE_INVALID_ARGUMENT) << "a model that is not initialised";
        model->deinit(state.data());
      }
  faulty->fail(-1);
  EXPECT_EQ(init(state), HEDDLE_OK);
  EXPECT_EQ(faulty->alive, made);
  EXPECT_EQ(run(state), HEDDLE_OK);
  model->deinit(state.data());
}

TEST_F(DeviceLibrary, ACallCanFail) {
  for (heddle_status fault : faults) {
    std::array<uint64_t, 12> state = {};
    faulty->fail(-1);
    ASSERT_EQ(init(state), HEDDLE_OK);
    faulty->fail(1, fault); // the second replay
    EXPECT_EQ(run(state), HEDDLE_OK);
    EXPECT_EQ(run(state), fault);
    EXPECT_EQ(run(state), HEDDLE_OK) << "it failed once";
    faulty->fail(0, fault, /*forGood=*/true);
    EXPECT_EQ(run(state), fault);
    EXPECT_EQ(run(state), fault);
    model->deinit(state.data());
    EXPECT_EQ(faulty->alive, 0);
  }
}

// Nobody could check what an index input holds there.
TEST_F(DeviceLibrary, IndicesLieOnTheHost) {
  session = load("vulkan", null, HEDDLE_TEST_MODEL);
  ASSERT_TRUE(session);
  model = &session->model();
  ASSERT_EQ(model->input_count, 3u);
  ASSERT_TRUE(model->inputs[1].flags & HEDDLE_RANGE);
  heddle_memory *memory = nullptr;
  ASSERT_EQ(null->allocate(null->self, 4096, &memory), HEDDLE_OK);
  std::array<uint64_t, 12> state = {};
  ASSERT_EQ(init(state), HEDDLE_OK);
  std::vector<int64_t> ids(14, 3);
  std::vector<char> large(model->arena_size(nullptr, 1));
  std::vector<float> y(2 * 39 * 7), z(14);
  heddle_place inputs[] = {{nullptr, memory, 0}, {ids.data(), nullptr, 0}, {nullptr, nullptr, 0}};
  heddle_place outputs[] = {{y.data(), nullptr, 0}, {nullptr, memory, 1024}};
  auto call = [&] { return model->run_on_device(state.data(), nullptr, inputs, outputs, large.data(), large.size()); };
  EXPECT_EQ(call(), HEDDLE_OK);
  inputs[1] = {nullptr, memory, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  ids[7] = 7;
  inputs[1] = {ids.data(), nullptr, 0};
  EXPECT_EQ(call(), HEDDLE_INDEX_OUT_OF_RANGE);
  model->deinit(state.data());
  null->release(null->self, memory);
}

// What a host program does then.
TEST_F(DeviceLibrary, CodeForTheCpuGoesOn) {
  std::array<uint64_t, 12> state = {};
  ASSERT_EQ(init(state), HEDDLE_OK);
  faulty->fail(0, HEDDLE_DEVICE_LOST, /*forGood=*/true);
  ASSERT_EQ(run(state), HEDDLE_DEVICE_LOST);
  model->deinit(state.data());
  std::unique_ptr<Session> onCpu = load("cpu", nullptr);
  ASSERT_TRUE(onCpu);
  std::vector<float> in(37 * 64, 1), out(37 * 96, NAN);
  EXPECT_FALSE(bool(onCpu->run({in.data()}, {out.data()})));
  EXPECT_TRUE(llvm::none_of(out, [](float value) { return std::isnan(value); }));
}

TEST_F(DeviceLibrary, ErrorsHaveTheDevicesWords) {
  auto wrapped = DevicePtr(&faulty->table, [](heddle_device *) {});
  faulty->fail(0, HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_FALSE(load("vulkan", wrapped));
  faulty->fail(-1);
  std::unique_ptr<Session> other = load("vulkan", wrapped);
  ASSERT_TRUE(other);
  faulty->fail(0, HEDDLE_DEVICE_LOST);
  std::string words = llvm::toString(other->run({inputs[0].data()}, {outputs[0].data()}));
  EXPECT_EQ(words, "model: the device stopped working: call 0 fails here");
  // What is no fault of the device has none of them.
  words = llvm::toString(other->run({nullptr}, {outputs[0].data()}));
  EXPECT_EQ(words, "model: a required pointer is null or misaligned, a size is out of range, or the model is not "
                   "initialised");
}

} // namespace
