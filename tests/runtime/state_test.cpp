//===- state_test.cpp - states that a model keeps between calls -----------===//
//
// A state is memory of the caller in which a model keeps tensors from one call
// to the next. Here a handwritten model counts its calls in a state of c + 1
// integers of 64 bits. The first integer is the number of calls so far, and a
// state accepts at most c calls.
//
//===----------------------------------------------------------------------===//

#include "heddle/heddle.hpp"
#include "heddle/library.h"

#include <gtest/gtest.h>

namespace {

/// A heddle_model and the structs to which it points. The object must outlive all uses of `model`.
struct CountingModel {
  const heddle_variant variant = {"only", "triple"};
  const heddle_size size = {"c", 1, 8};
  // Expressions in postfix form: c, the number 1, and (c + 1) * 8, the size of the state in bytes.
  const int64_t open[1] = {-1}, ofC[2] = {HEDDLE_SIZE_OF_CALL, 0}, one[2] = {HEDDLE_SIZE_NUMBER, 1},
                bytes[10] = {HEDDLE_SIZE_OF_CALL, 0, HEDDLE_SIZE_NUMBER,   1, HEDDLE_SIZE_ADD, 0,
                             HEDDLE_SIZE_NUMBER,  8, HEDDLE_SIZE_MULTIPLY, 0};
  const heddle_expression extent[1] = {{ofC, 2}}, memoryExtent[1] = {{bytes, 10}}, offset[1] = {{one, 2}};
  // The tensor in the state, and the input through which a call receives the memory of the state.
  heddle_tensor kept[1] = {{"kept", HEDDLE_I64, 1, open, extent, 0, 0, 0, 0, 0, 0}};
  heddle_tensor inputs[1] = {{"state", HEDDLE_I8, 1, open, memoryExtent, 0, 0, 0, 0, 0, 1}};
  heddle_tensor outputs[1] = {{"count", HEDDLE_I64, 0, nullptr, nullptr, 0, 0, 0, 0, 0, 0}};
  heddle_state state = {"state",  1,        kept,       offset, {one, 2}, {ofC, 2},
                        {one, 2}, {one, 2}, UINT64_MAX, sizeOf, init,     copy,   nullptr, nullptr};
  heddle_model model = {};

  CountingModel() {
    model.abi = HEDDLE_ABI_VERSION;
    model.struct_size = sizeof model;
    model.variant_stride = sizeof variant;
    model.size_stride = sizeof size;
    model.tensor_stride = sizeof *inputs;
    model.state_stride = sizeof state;
    model.name = "counting";
    model.source = "a test";
    model.variant_count = model.size_count = model.input_count = model.output_count = model.state_count = 1;
    model.variants = &variant;
    model.sizes = &size;
    model.inputs = inputs;
    model.outputs = outputs;
    model.states = &state;
    model.init = [](void *, const char *, const void *, size_t) { return HEDDLE_OK; };
    model.variant = [](const void *) { return "only"; };
    model.arena_size = [](const size_t *, size_t) { return size_t(1); };
    model.run = run;
  }
  /// Reads the description. Returns the error, or "" if there is none.
  std::string whyNot() {
    const char *reason = nullptr;
    heddle_model *read = heddle_model_read(&model, &reason);
    heddle_model_free(read);
    return read ? "" : reason;
  }

private:
  static size_t sizeOf(const size_t *sizes) { return sizes[0] >= 1 && sizes[0] <= 8 ? 8 * (sizes[0] + 1) : 0; }
  static heddle_status init(const void *, const heddle_state_memory *state, const size_t *sizes) {
    std::memset(state->memory, 0, sizeOf(sizes));
    return HEDDLE_OK;
  }
  static heddle_status copy(const void *, const heddle_state_memory *, size_t from, size_t) {
    return from ? HEDDLE_INVALID_ARGUMENT : HEDDLE_OK;
  }
  static heddle_status run(const void *, const size_t *sizes, const void *const *inputs, void *const *outputs, void *,
                           size_t, const heddle_executor *) {
    auto *state = static_cast<const heddle_state_memory *>(inputs[0]);
    if (state->size < sizeOf(sizes))
      return HEDDLE_STATE_TOO_SMALL;
    auto *count = static_cast<int64_t *>(state->memory);
    if (*count < 0 || *count >= int64_t(sizes[0]))
      return *count < 0 ? HEDDLE_STATE_NOT_FILLED : HEDDLE_STATE_FULL;
    *static_cast<int64_t *>(outputs[0]) = ++*count;
    return HEDDLE_OK;
  }
};

/// Each call continues from its state, and calls with different states do not affect each other.
TEST(State, CallsContinueFromTheState) {
  CountingModel counting;
  heddle::Model model(&counting.model);
  ASSERT_TRUE(model) << model.error();
  heddle::State first(model, {{"c", 3}}), second(model, {{"c", 3}});
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first.get().size, 32u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.get().memory) % 64, 0u);
  heddle::Call call(model);
  int64_t count = 0;
  auto next = [&](const heddle::State &state) {
    EXPECT_EQ(call.bind({state.array()}), HEDDLE_OK) << call.error();
    EXPECT_EQ(call.run({{"count", &count, {}}}), HEDDLE_OK) << call.error();
    return count;
  };
  // The number of bytes does not determine the size c, because the memory of a state may be larger than necessary.
  EXPECT_EQ(call.bind({first.array()}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(call.error(), "the given inputs do not determine the size 'c'");
  ASSERT_EQ(call.setSize("c", 3), HEDDLE_OK);
  EXPECT_EQ(next(first), 1);
  EXPECT_EQ(next(first), 2);
  EXPECT_EQ(next(second), 1);
  EXPECT_EQ(next(first), 3);
  EXPECT_EQ(first.copy(0, 1), HEDDLE_OK);
  EXPECT_EQ(first.copy(1, 0), HEDDLE_INVALID_ARGUMENT);
  ASSERT_EQ(call.setSize("c", 4), HEDDLE_OK);
  ASSERT_EQ(call.bind({first.array()}), HEDDLE_OK);
  EXPECT_EQ(call.run({{"count", &count, {}}}), HEDDLE_STATE_TOO_SMALL);
  EXPECT_STREQ(call.error(), "counting: the state's memory is too small");
}

/// If `filled`, the offset of the numbers of filled rows, is a multiple of 8, the error of a call names a sequence and
/// its number of rows. In the other tests, the offset is 1, which is ignored.
TEST(State, NamesTheSequenceWithoutRoom) {
  CountingModel counting;
  const int64_t number[2] = {HEDDLE_SIZE_NUMBER, 0};
  counting.state.filled = {number, 2}; // offset 0: the number of calls is used as the number of rows of one sequence
  heddle::Model model(&counting.model);
  ASSERT_TRUE(model) << model.error();
  heddle::State state(model, {{"c", 2}});
  heddle::Call call(model);
  int64_t count = 0;
  ASSERT_EQ(call.setSize("c", 2), HEDDLE_OK);
  auto run = [&] {
    EXPECT_EQ(call.bind({state.array()}), HEDDLE_OK) << call.error();
    return call.run({{"count", &count, {}}});
  };
  EXPECT_EQ(run(), HEDDLE_OK);
  EXPECT_EQ(run(), HEDDLE_OK);
  EXPECT_EQ(run(), HEDDLE_STATE_FULL);
  EXPECT_STREQ(call.error(), "counting: the state has no room for so many new rows: for sequence 0, the past is 2, the "
                             "number of new rows 1, and the capacity 2");
  *static_cast<int64_t *>(state.get().memory) = -1;
  EXPECT_EQ(run(), HEDDLE_STATE_NOT_FILLED);
  EXPECT_STREQ(call.error(), "counting: the past of a sequence is negative or exceeds the number of its filled rows; "
                             "or each call replaces the state as a whole, and the past is neither 0 nor this number, "
                             "or is not 0 after a failed call: sequence 0 has -1 rows, but the past is -1");
}

TEST(State, FailedStatesHaveAReason) {
  CountingModel counting;
  heddle::Model model(&counting.model);
  EXPECT_STREQ(heddle::State(model, {{"c", 9}}).error(), "c is 9, outside 1..8");
  EXPECT_STREQ(heddle::State(model, {{"c", 0}}).error(), "c is 0, outside 1..8");
  heddle::State moved = heddle::State(model, {{"c", 9}});
  moved = heddle::State(model, {{"c", 2}});
  EXPECT_TRUE(moved) << moved.error();
  counting.inputs[0].state = 0;
  counting.model.state_count = 0;
  heddle::Model without(&counting.model);
  ASSERT_TRUE(without) << without.error();
  heddle::State nothing(without, {{"c", 3}});
  EXPECT_STREQ(nothing.error(), "the model has no state");
  EXPECT_EQ(nothing.copy(0, 0), HEDDLE_INVALID_ARGUMENT);
  heddle::Model missing = heddle::Model::load("/nowhere/model.so");
  heddle::State none(missing, {{"c", 3}});
  EXPECT_FALSE(none);
  EXPECT_STREQ(none.error(), missing.error());
  EXPECT_STRNE(none.error(), "");
}

/// The given sizes must be exactly those on which the state depends.
TEST(State, RefusesUnknownAndMissingSizes) {
  CountingModel counting;
  const heddle_size sizes[] = {{"s", 1, 4}, counting.size, {"b", 1, 2}};
  const int64_t ofC[] = {HEDDLE_SIZE_OF_CALL, 1}, ofB[] = {HEDDLE_SIZE_OF_CALL, 2};
  const heddle_expression extents[] = {{ofC, 2}};
  counting.kept[0].extents = extents;
  counting.state.capacity = {ofC, 2};
  counting.state.batch_size = {ofB, 2};
  counting.state.size = [](const size_t *values) { return 8 * (values[1] + 1) * values[2]; };
  counting.state.init = [](const void *, const heddle_state_memory *, const size_t *values) {
    return values[0] == 1 ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT; // the state does not depend on s
  };
  counting.inputs[0].extents = extents;
  counting.model.size_count = 3;
  counting.model.sizes = sizes;
  heddle::Model model(&counting.model);
  ASSERT_TRUE(model) << model.error();
  auto error = [&](std::vector<std::pair<const char *, size_t>> given) {
    heddle::State state(model, given);
    EXPECT_EQ(bool(state), std::string(state.error()).empty());
    return std::string(state.error());
  };
  EXPECT_EQ(error({{"b", 2}, {"c", 8}}), "");
  EXPECT_EQ(heddle::State(model, {{"c", 8}, {"b", 2}}).get().size, 144u);
  EXPECT_EQ(error({{"capcity", 8}}), "the state does not depend on the size capcity, but on c, b");
  EXPECT_EQ(error({{"c", 8}, {"b", 2}, {"B", 2}}), "the state does not depend on the size B, but on c, b");
  EXPECT_EQ(error({{"s", 2}, {"c", 8}, {"b", 2}}), "the state does not depend on the size s, but on c, b");
  EXPECT_EQ(error({{"c", 8}, {"b", 3}}), "b is 3, outside 1..2");
  EXPECT_EQ(error({}), "the state depends on the size c, which is not given");
  EXPECT_EQ(error({{"c", 8}}), "the state depends on the size b, which is not given");
  EXPECT_EQ(error({{"c", 8}, {"b", 2}, {"c", 8}}), "the size c is given twice");
}

TEST(State, RefusesSizesIfItDependsOnNone) {
  CountingModel counting;
  counting.kept[0].extents = counting.offset; // the number 1
  counting.state.capacity = {counting.one, 2};
  counting.state.size = [](const size_t *) { return size_t(16); };
  heddle::Model model(&counting.model);
  ASSERT_TRUE(model) << model.error();
  EXPECT_TRUE(heddle::State(model, {}));
  EXPECT_STREQ(heddle::State(model, {{"c", 3}}).error(), "the state does not depend on the size c, but on no size");
}

TEST(State, AMovedStateIsEmpty) {
  CountingModel counting;
  heddle::Model model(&counting.model);
  heddle::State first(model, {{"c", 3}}), second = std::move(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(first); // NOLINT: tests a moved-from object
  EXPECT_EQ(first.copy(0, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(second.copy(0, 0), HEDDLE_OK);
}

TEST(State, StatusesHaveTexts) {
  EXPECT_STREQ(heddle_status_words(HEDDLE_STATE_FULL), heddle_status_text(HEDDLE_STATE_FULL));
  EXPECT_STREQ(heddle_status_words(-1), "unknown status");
}

TEST(State, InvalidDescriptionsOfStatesAreRefused) {
  EXPECT_EQ(CountingModel().whyNot(), "");
  auto refuses = [](auto change, const char *reason) {
    CountingModel counting;
    change(counting);
    EXPECT_EQ(counting.whyNot(), reason);
  };
  const char *way = "has a tensor that is stored in a way that this version of heddle does not know",
             *none = "has an invalid list of states in its description",
             *nameless = "describes a state without a name or a function",
             *formula = "describes a state that this version of heddle cannot compute";
  refuses([](CountingModel &m) { m.inputs[0].state = 2; }, way);
  refuses([](CountingModel &m) { m.inputs[0].type = HEDDLE_F32; }, way);
  refuses([](CountingModel &m) { m.outputs[0].state = 1; }, way);
  refuses([](CountingModel &m) { m.kept[0].state = 1; }, way);
  refuses([](CountingModel &m) { m.model.state_stride = 8; }, none);
  refuses([](CountingModel &m) { m.model.states = nullptr; }, none);
  refuses([](CountingModel &m) { m.state.offsets = nullptr; }, none);
  refuses([](CountingModel &m) { m.state.tensor_count = UINT64_MAX; }, none);
  refuses([](CountingModel &m) { m.state.name = nullptr; }, nameless);
  refuses([](CountingModel &m) { m.state.copy = nullptr; }, nameless);
  refuses([](CountingModel &m) { m.state.past = 1; }, "describes a state whose past is not an input of the model");
  refuses([](CountingModel &m) { m.state.filled.words = 3; }, formula);
  refuses([](CountingModel &m) { m.state.capacity.code = nullptr; }, formula);
}

} // namespace
