//===- device_states_test.cpp - states on a device that fails -------------===//
//
// On the null device, which executes nothing: what a library asks of it for a
// state fails, and what is filled is as it was.
//
//===----------------------------------------------------------------------===//

#include "import/TempDir.h"
#include "runtime/devices/FaultyDevice.h"

#include "heddle/Compile.h"
#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr const char *text = R"(
  func.func @main(%new: tensor<2x3x5x8xf32> {heddle.name = "new"}, %past: tensor<2xi64> {heddle.name = "past", heddle.state_past},
                  %rows: tensor<2x3x40x8xf32> {heddle.state = "rows"}) -> (tensor<2x3x40x8xf32> {heddle.state = "rows"}) {
    %0 = heddle.append %new into %rows at %past : tensor<2x3x5x8xf32> into tensor<2x3x40x8xf32>, tensor<2xi64>
    return %0 : tensor<2x3x40x8xf32>
  })";

class StatesOnDevice : public testing::Test {
protected:
  void SetUp() override {
    auto opened = openDevice("null");
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    null = std::move(*opened);
    faulty = std::make_unique<FaultyDevice>(null.get());
    MLIRContext context(MLIRContext::Threading::DISABLED);
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    loadImportDialects(context);
    auto imported = importModel(context, dir.write("model.mlir", text));
    ASSERT_TRUE(succeeded(imported));
    CompileOptions options;
    options.target.device = "vulkan";
    auto compiled = compileModel(std::move(*imported), options);
    ASSERT_TRUE(succeeded(compiled));
    auto loaded = loadHere(std::move(*compiled), "model", "", null);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    session = std::move(*loaded);
    model = &session->model();
    state = model->states;
    ASSERT_EQ(model->needs, uint64_t(HEDDLE_NEEDS_STATES_ON_DEVICE));
    arena.resize(model->arena_size(nullptr, 1));
    memory.resize(state->size(nullptr) / 8, ~uint64_t(0));
    given = {memory.data(), 8 * memory.size()};
  }
  void TearDown() override { EXPECT_EQ(faulty->alive, 0); }

  heddle_status init() { return model->init_on_device(words.data(), nullptr, 0, &faulty->table); }
  heddle_status begin() { return state->init(words.data(), &given, nullptr); }
  heddle_status run(const int64_t *past = nullptr) {
    const void *inputs[] = {rows.data(), past, &given};
    return model->run(words.data(), nullptr, inputs, nullptr, arena.data(), arena.size(), nullptr);
  }
  std::vector<int64_t> filled() const {
    int64_t place = 0;
    EXPECT_TRUE(heddle_evaluate(&state->filled, nullptr, 0, &place));
    return {memory.begin() + place / 8, memory.begin() + place / 8 + 2};
  }

  TempDir dir;
  DevicePtr null;
  std::unique_ptr<FaultyDevice> faulty;
  std::unique_ptr<Session> session; // keeps the code loaded
  const heddle_model *model = nullptr;
  const heddle_state *state = nullptr;
  std::array<uint64_t, 12> words = {};
  std::vector<char> arena;
  std::vector<uint64_t> memory;
  heddle_state_memory given;
  std::vector<float> rows = std::vector<float>(2 * 3 * 5 * 8, 1);
};

TEST_F(StatesOnDevice, TheHeaderAloneIsTheCallers) {
  EXPECT_LT(given.size, 1024u);
  ASSERT_EQ(init(), HEDDLE_OK);
  EXPECT_EQ(state->device_memory(&given), nullptr);
  EXPECT_EQ(run(), HEDDLE_STATE_NOT_INITIALISED);
  EXPECT_EQ(state->copy(words.data(), &given, 0, 1), HEDDLE_STATE_NOT_INITIALISED);
  int64_t made = faulty->alive;
  ASSERT_EQ(begin(), HEDDLE_OK);
  EXPECT_EQ(faulty->alive, made + 1);
  EXPECT_NE(state->device_memory(&given), nullptr);
  EXPECT_EQ(run(), HEDDLE_OK);
  EXPECT_EQ(run(), HEDDLE_OK);
  EXPECT_EQ(filled(), (std::vector<int64_t>{10, 10}));
  std::vector<int64_t> past = {10, 3};
  EXPECT_EQ(run(past.data()), HEDDLE_OK);
  EXPECT_EQ(filled(), (std::vector<int64_t>{15, 8}));
  EXPECT_EQ(state->copy(words.data(), &given, 1, 0), HEDDLE_OK);
  EXPECT_EQ(filled(), (std::vector<int64_t>{8, 8}));
  past = {9, 8};
  EXPECT_EQ(run(past.data()), HEDDLE_STATE_NOT_FILLED);
  state->deinit(words.data(), &given);
  EXPECT_EQ(faulty->alive, made);
  EXPECT_EQ(run(), HEDDLE_STATE_NOT_INITIALISED);
  state->deinit(words.data(), &given); // there is nothing
  state->deinit(words.data(), nullptr);
  state->deinit(nullptr, &given);
  model->deinit(words.data());
}

TEST_F(StatesOnDevice, AnyCallCanFailOnce) {
  for (heddle_status fault : {HEDDLE_OUT_OF_DEVICE_MEMORY, HEDDLE_DEVICE_LOST, HEDDLE_DEVICE_ERROR}) {
    ASSERT_EQ(init(), HEDDLE_OK);
    int64_t made = faulty->alive;
    faulty->fail(0, fault);
    EXPECT_EQ(begin(), fault);
    EXPECT_EQ(faulty->alive, made);
    EXPECT_EQ(run(), HEDDLE_STATE_NOT_INITIALISED);
    ASSERT_EQ(begin(), HEDDLE_OK);
    ASSERT_EQ(run(), HEDDLE_OK);
    std::vector<uint64_t> before = memory;
    faulty->fail(0, fault);
    EXPECT_EQ(run(), fault);
    EXPECT_EQ(memory, before) << "what is filled is as it was";
    for (int64_t call : {0, 1}) { // recorded, replayed
      faulty->fail(call, fault);
      EXPECT_EQ(state->copy(words.data(), &given, 0, 1), fault);
      EXPECT_EQ(memory, before);
      EXPECT_EQ(faulty->alive, made + 1);
    }
    faulty->fail(-1);
    EXPECT_EQ(run(), HEDDLE_OK);
    EXPECT_EQ(filled(), (std::vector<int64_t>{10, 10}));
    state->deinit(words.data(), &given);
    model->deinit(words.data());
    EXPECT_EQ(faulty->alive, 0);
  }
}

TEST_F(StatesOnDevice, AnOlderTableIsRefused) {
  faulty->table.size = offsetof(heddle_device, replay_with);
  EXPECT_EQ(init(), HEDDLE_UNSUPPORTED_DEVICE);
}

// What the host looks into lies on the host.
TEST_F(StatesOnDevice, NeitherHeaderNorPastLieThere) {
  ASSERT_EQ(init(), HEDDLE_OK);
  ASSERT_EQ(begin(), HEDDLE_OK);
  heddle_memory *there = nullptr;
  ASSERT_EQ(null->allocate(null->self, 4096, &there), HEDDLE_OK);
  heddle_place inputs[] = {{rows.data(), nullptr, 0}, {nullptr, nullptr, 0}, {&given, nullptr, 0}};
  auto call = [&] {
    return model->run_on_device(words.data(), nullptr, inputs, nullptr, arena.data(), arena.size());
  };
  EXPECT_EQ(call(), HEDDLE_OK);
  inputs[1] = {nullptr, there, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  inputs[1] = {nullptr, nullptr, 0};
  inputs[2] = {nullptr, there, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  null->release(null->self, there);
  state->deinit(words.data(), &given);
  model->deinit(words.data());
}

} // namespace
