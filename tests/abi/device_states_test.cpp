//===- device_states_test.cpp - states on a failing device ----------------===//
//
// The tests run on the null device and on a fake CUDA driver, which execute no kernels. If a call of a model with a
// state fails, the numbers of filled rows in the state must not change.
//
//===----------------------------------------------------------------------===//

#include "FaultyLibrary.h"

#include "devices/cuda/cuda.h"
#include "import/TempDir.h"
#include "runtime/devices/FakeCuda.h"

using namespace heddle;

namespace {

constexpr const char *text = R"(
  func.func @main(%new: tensor<2x3x5x8xf32> {heddle.name = "new"}, %past: tensor<2xi64> {heddle.name = "past", heddle.state_past},
                  %rows: tensor<2x3x40x8xf32> {heddle.state = "rows"}) -> (tensor<2x3x40x8xf32> {heddle.state = "rows"}) {
    %0 = heddle.append %new into %rows at %past : tensor<2x3x5x8xf32> into tensor<2x3x40x8xf32>, tensor<2xi64>
    return %0 : tensor<2x3x40x8xf32>
  })";

/// A kind of device for which libraries are compiled, and a function that opens a device on which they run.
struct Kind {
  const char *name;
  DevicePtr (*open)();
};

DevicePtr openNull() { return llvm::cantFail(openDevice("null")); }
DevicePtr openFakeCuda() {
  fake::cuda().anyKernel = true;
  heddle::Driver *driver = openCudaWith({&fake::cuda(), fake::find}, nullptr);
  return DevicePtr(driver ? &driver->table : nullptr, heddle_device_close);
}

class StatesOnDevice : public FaultyLibrary, public testing::WithParamInterface<Kind> {
protected:
  void SetUp() override {
    setUp(GetParam().open(), GetParam().name);
    ASSERT_TRUE(inner) << lastError();
    use(dir.write("model.mlir", text));
    state = model->states;
    ASSERT_EQ(model->needs, uint64_t(HEDDLE_NEEDS_STATES_ON_DEVICE));
    memory.resize(state->size(nullptr) / 8, ~uint64_t(0));
    given = {memory.data(), 8 * memory.size()};
  }
  void TearDown() override {
    EXPECT_EQ(faulty->alive, 0);
    session.reset();
    inner.reset();
    EXPECT_EQ(fake::cuda().alive, 0);
    EXPECT_EQ(fake::cuda().mistake, "");
  }

  /// Initialises the state, which allocates its device memory.
  heddle_status begin() { return state->init(words.data(), &given, nullptr); }
  /// Makes a call, which appends 5 rows to each of the 2 sequences. `past` contains the past of each sequence; if it is
  /// null, the past is the number of filled rows.
  heddle_status run(const int64_t *past = nullptr) {
    const void *inputs[] = {rows.data(), past, &given};
    return FaultyLibrary::run(inputs, nullptr);
  }
  /// Returns the number of filled rows of each sequence, from the header of the state.
  std::vector<int64_t> filled() const {
    int64_t place = 0;
    EXPECT_TRUE(heddle_evaluate(&state->filled, nullptr, 0, &place));
    return {memory.begin() + place / 8, memory.begin() + place / 8 + 2};
  }

  TempDir dir;
  const heddle_state *state = nullptr;
  std::vector<uint64_t> memory; // the header of the state
  heddle_state_memory given;
  std::vector<float> rows = std::vector<float>(2 * 3 * 5 * 8, 1);
};

/// The fixture of tests that limit the memory of the device.
class StatesInMemory : public StatesOnDevice {};

constexpr Kind cuda = {"cuda", openFakeCuda};
std::string nameOf(const testing::TestParamInfo<Kind> &kind) { return kind.param.name; }
INSTANTIATE_TEST_SUITE_P(Kinds, StatesOnDevice, testing::Values(Kind{"vulkan", openNull}, cuda), nameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, StatesInMemory, testing::Values(cuda), nameOf);

// The rows of the state are in device memory, which state->init() allocates and state->deinit() releases. Calls without
// an initialised state are refused.
TEST_P(StatesOnDevice, TheCallerProvidesOnlyTheHeader) {
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
  // If the state has no device memory, state->deinit() does nothing.
  state->deinit(words.data(), &given);
  state->deinit(words.data(), nullptr);
  state->deinit(nullptr, &given);
  model->deinit(words.data());
}

// After a call to the device fails, nothing is leaked, and the next call succeeds.
TEST_P(StatesOnDevice, AnyCallCanFailOnce) {
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
    EXPECT_EQ(memory, before) << "a failed call must not change the numbers of filled rows";
    for (int64_t call : {0, 1}) { // state->copy calls record, then replay_with
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

// Libraries with states call the function replay_with of the device. The function table of a device from an older
// runtime lacks this function, so the library must refuse the device.
TEST_P(StatesOnDevice, AnOlderDeviceTableIsRefused) {
  faulty->table.size = offsetof(heddle_device, replay_with);
  EXPECT_EQ(init(), HEDDLE_UNSUPPORTED_DEVICE);
  EXPECT_EQ(words, decltype(words)()) << "a model that is not initialised has no device to free";
  model->deinit(words.data());
  EXPECT_EQ(faulty->alive, 0);
}

// device_memory() and deinit() ignore a misaligned header, even a copy of a valid header, and a misaligned struct
// heddle_state_memory.
TEST_P(StatesOnDevice, MisalignedStatesAreIgnored) {
  ASSERT_EQ(init(), HEDDLE_OK);
  ASSERT_EQ(begin(), HEDDLE_OK);
  int64_t made = faulty->alive;
  std::vector<uint64_t> elsewhere(memory.size() + 1);
  char *odd = reinterpret_cast<char *>(elsewhere.data()) + 4;
  std::memcpy(odd, memory.data(), given.size);
  heddle_state_memory copied = {odd, given.size};
  std::vector<uint64_t> room(sizeof given / 8 + 1);
  char *misplaced = reinterpret_cast<char *>(room.data()) + 4;
  std::memcpy(misplaced, &given, sizeof given);
  for (const void *place : {static_cast<const void *>(&copied), static_cast<const void *>(misplaced)}) {
    auto *wrong = static_cast<const heddle_state_memory *>(place);
    EXPECT_EQ(state->device_memory(wrong), nullptr);
    state->deinit(words.data(), wrong);
    EXPECT_EQ(faulty->alive, made);
  }
  EXPECT_EQ(std::memcmp(odd, memory.data(), given.size), 0);
  EXPECT_EQ(run(), HEDDLE_OK);
  state->deinit(words.data(), &given);
  EXPECT_EQ(faulty->alive, made - 1);
  model->deinit(words.data());
}

// The device has memory for the library but not for the state: state->init() fails, and succeeds once the device has
// enough memory.
TEST_P(StatesInMemory, InitFailsWithoutDeviceMemory) {
  ASSERT_EQ(init(), HEDDLE_OK);
  const uint64_t all = fake::cuda().memory;
  fake::cuda().memory = 4096;
  EXPECT_EQ(begin(), HEDDLE_OUT_OF_DEVICE_MEMORY);
  EXPECT_STREQ(inner->error(inner->self), "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(run(), HEDDLE_STATE_NOT_INITIALISED);
  fake::cuda().memory = all;
  EXPECT_EQ(begin(), HEDDLE_OK);
  EXPECT_EQ(run(), HEDDLE_OK);
  EXPECT_EQ(filled(), (std::vector<int64_t>{5, 5}));
  state->deinit(words.data(), &given);
  model->deinit(words.data());
}

// The host reads the header and the past, so both must be in host memory.
TEST_P(StatesOnDevice, HeaderAndPastMustBeInHostMemory) {
  ASSERT_EQ(init(), HEDDLE_OK);
  ASSERT_EQ(begin(), HEDDLE_OK);
  heddle_memory *there = nullptr;
  ASSERT_EQ(inner->allocate(inner->self, 4096, &there), HEDDLE_OK);
  heddle_place inputs[] = {{rows.data(), nullptr, 0}, {nullptr, nullptr, 0}, {&given, nullptr, 0}};
  auto call = [&] { return runOnDevice(inputs, nullptr); };
  EXPECT_EQ(call(), HEDDLE_OK);
  inputs[1] = {nullptr, there, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  inputs[1] = {nullptr, nullptr, 0};
  inputs[2] = {nullptr, there, 0};
  EXPECT_EQ(call(), HEDDLE_INVALID_ARGUMENT);
  inner->release(inner->self, there);
  state->deinit(words.data(), &given);
  model->deinit(words.data());
}

} // namespace
