//===- call_test.cpp - checked calls with tensors by name -----------------===//
//
// heddle/call.h calls a model with arrays that have names and shapes. It infers
// the sizes of the call from the shapes, checks all arrays before the model
// runs, and reports errors as texts. A check that is missing would let a wrong
// array reach compiled code, which reads memory without checks.
//
//===----------------------------------------------------------------------===//

#include "DescribedModel.h"

#include "heddle/call.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

// Sanitizers end a program that requests too much memory; with this option, the allocation fails instead.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

namespace {

/// A heddle_array that owns its shape and strides. Without strides, the elements are dense. `host` is the address of
/// the elements; outputs are written there.
struct Array {
  Array(const char *name, uint32_t type, std::vector<int64_t> shape, const void *host,
        std::vector<int64_t> strides = {})
      : name(name), type(type), shape(std::move(shape)), strides(std::move(strides)), host(const_cast<void *>(host)) {}
  const char *name;
  uint32_t type;
  std::vector<int64_t> shape, strides;
  void *host;
};

class Call : public testing::Test {
protected:
  Call() {
    char error[200];
    instance = heddle_instance_create(&described.model, nullptr, error, sizeof error);
    call = instance ? heddle_call_create(instance) : nullptr;
    if (!call)
      ADD_FAILURE() << error;
    for (size_t i = 0; i < 200; ++i)
      x[i] = float(i) / 4;
    std::fill(std::begin(mask), std::end(mask), 1);
  }
  ~Call() override {
    heddle_call_destroy(call);
    heddle_instance_destroy(instance);
  }

  /// Returns the arrays as C structs, which point into `arrays`.
  static std::vector<heddle_array> list(const std::vector<Array> &arrays) {
    std::vector<heddle_array> list;
    for (const Array &array : arrays)
      list.push_back({array.name,
                      array.type,
                      uint32_t(array.shape.size()),
                      array.shape.data(),
                      array.strides.empty() ? nullptr : array.strides.data(),
                      {array.host, nullptr, 0}});
    return list;
  }
  /// Binds the arrays as inputs of the next runs. Returns the error, or "" if there is none.
  std::string bind(const std::vector<Array> &arrays) {
    std::vector<heddle_array> inputs = list(arrays);
    heddle_status status = heddle_call_bind(call, inputs.data(), inputs.size());
    EXPECT_TRUE(status == HEDDLE_OK || status == HEDDLE_INVALID_ARGUMENT) << status;
    EXPECT_EQ(status == HEDDLE_OK, heddle_call_sizes(call) != nullptr);
    EXPECT_EQ(status == HEDDLE_OK, *heddle_call_error(call) == '\0');
    return heddle_call_error(call);
  }
  /// Runs the model with the arrays as outputs and expects this status. Returns the error, or "" if there is none.
  std::string run(const std::vector<Array> &arrays, heddle_status expected = HEDDLE_OK) {
    std::vector<heddle_array> outputs = list(arrays);
    EXPECT_EQ(heddle_call_run(call, outputs.data(), outputs.size(), nullptr), expected);
    return heddle_call_error(call);
  }
  std::vector<size_t> sizes() const { return {heddle_call_sizes(call), heddle_call_sizes(call) + 3}; }
  Array inputX(int64_t b, int64_t count) const { return {"x", HEDDLE_F32, {b, count, 4}, x}; }
  Array inputMask(int64_t b, int64_t count) const { return {"mask", HEDDLE_I64, {b, count}, mask}; }
  Array outputRows(int64_t b, int64_t count) { return {"rows", HEDDLE_F32, {b, count}, rows}; }

  DescribedModel described;
  heddle_instance *instance = nullptr;
  heddle_call *call = nullptr;
  float x[200], rows[100] = {};
  int64_t mask[1000];
  double total = 0;
};

TEST_F(Call, SizesFollowFromTheInputs) {
  ASSERT_EQ(bind({inputMask(2, 8), inputX(2, 3)}), ""); // the order of inputs is arbitrary
  EXPECT_EQ(sizes(), (std::vector<size_t>{2, 5, 3}));
  ASSERT_TRUE(heddle_call_output_shape(call, 0) && heddle_call_output_shape(call, 1));
  EXPECT_EQ(heddle_call_output_shape(call, 0)[0], 2);
  EXPECT_EQ(heddle_call_output_shape(call, 0)[1], 3);
  EXPECT_EQ(heddle_call_output_shape(call, 2), nullptr);
  mask[0] = mask[1] = mask[9] = 0;
  EXPECT_EQ(run({{"total", HEDDLE_F64, {}, &total}, outputRows(2, 3)}), "");
  EXPECT_EQ(rows[0], 1.5f + 0.75f);
  EXPECT_EQ(rows[5], 86 / 4.f + 0.875f);
  EXPECT_EQ(total, 2 * (23 * 12 / 8.) + 3 * (0.75 + 0.875));
  EXPECT_EQ(run({outputRows(2, 3)}), ""); // the inputs are still bound
}

TEST_F(Call, ASizeThatNoInputDeterminesIsSet) {
  EXPECT_EQ(bind({inputX(1, 2)}), "the given inputs do not determine the size 'past'");
  EXPECT_EQ(heddle_call_set_size(call, "past", 7), HEDDLE_OK);
  ASSERT_EQ(bind({inputX(1, 2)}), "");
  EXPECT_EQ(sizes(), (std::vector<size_t>{1, 7, 2}));
  EXPECT_EQ(run({outputRows(1, 2)}), "");
  EXPECT_EQ(rows[1], 22 / 4.f + 1);
  EXPECT_EQ(bind({inputX(1, 2), inputMask(1, 8)}),
            "input 'mask': expected shape [1, 9], found [1, 8]; past is 7, new is 2");
  EXPECT_EQ(heddle_call_set_size(call, "past", SIZE_MAX), HEDDLE_OK);
  ASSERT_EQ(bind({inputX(1, 2), inputMask(1, 8)}), "");
  EXPECT_EQ(sizes()[DescribedModel::Past], 6u);
  EXPECT_EQ(heddle_call_set_size(call, "past", 101), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_call_error(call), "past is 101, outside 0..100");
  EXPECT_EQ(heddle_call_set_size(call, "later", 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_call_error(call), "no size that lies in a range is called 'later'; names: 'b', 'past', 'new'");
}

TEST_F(Call, ContradictoryShapesAreRefused) {
  EXPECT_EQ(bind({inputX(2, 3), inputMask(1, 8)}), "input 'mask': expected shape [2, 8], found [1, 8]; b is 2");
  EXPECT_EQ(bind({{"x", HEDDLE_F32, {2, 3, 5}, x}, inputMask(2, 8)}),
            "input 'x': expected shape [2, 3, 4], found [2, 3, 5]");
  EXPECT_EQ(bind({inputX(5, 3), inputMask(5, 8)}), "input 'x': b is 5, outside 1..4");
  EXPECT_EQ(bind({inputX(1, 0)}), "input 'x': new is 0, outside 1..10");
  EXPECT_EQ(bind({inputX(1, 3), inputMask(1, 2)}), "input 'mask': past is -1, outside 0..100");
  EXPECT_EQ(bind({inputX(1, 3), inputMask(1, INT64_MAX)}), "input 'mask': past is 9223372036854775804, outside 0..100");
}

TEST_F(Call, ArraysThatAreNoInputsAreRefused) {
  EXPECT_EQ(bind({inputX(1, 2), {"masks", HEDDLE_I64, {1, 2}, mask}}),
            "no input is called 'masks'; names: 'x', 'mask'");
  EXPECT_EQ(bind({inputX(1, 2), inputX(1, 2)}), "input 'x' is given twice");
  EXPECT_EQ(bind({inputMask(1, 2)}), "input 'x' is missing");
  EXPECT_EQ(bind({{nullptr, HEDDLE_I64, {1, 2}, mask}}), "an input without a name is given");
  EXPECT_EQ(bind({{"x", HEDDLE_F32, {1, 8}, x}}), "input 'x': expected 3 dimensions, found 2");
  EXPECT_EQ(bind({{"x", HEDDLE_F32, {1, -2, 4}, x}}), "input 'x': the extent of dimension 1 is negative: -2");
  EXPECT_EQ(bind({{"x", HEDDLE_F64, {1, 2, 4}, x}, inputMask(1, 2)}),
            "input 'x': expected elements of type f32, found f64");
  EXPECT_EQ(bind({{"x", 99, {1, 2, 4}, x}, inputMask(1, 2)}),
            "input 'x': expected elements of type f32, found an unknown type");
}

TEST_F(Call, ElementsMustBeDenseAndAligned) {
  Array some = inputX(1, 2);
  some.strides = {8, 4, 1};
  EXPECT_EQ(bind({some, inputMask(1, 2)}), "");
  some.strides = {77, 4, 1}; // the stride of a dimension of extent 1 is ignored
  EXPECT_EQ(bind({some, inputMask(1, 2)}), "");
  some.strides = {8, 1, 2};
  EXPECT_EQ(bind({some, inputMask(1, 2)}),
            "input 'x': expected dense elements in row-major order, found strides [8, 1, 2] for shape [1, 2, 4]");
  some = inputX(1, 2);
  some.host = reinterpret_cast<char *>(x) + 2;
  EXPECT_EQ(bind({some, inputMask(1, 2)}), "input 'x': its elements are not aligned to 4 bytes, as f32 requires");
  some.host = nullptr;
  EXPECT_EQ(bind({some, inputMask(1, 2)}), "input 'x': the pointer to its elements is NULL");
  std::vector<Array> arrays = {inputX(1, 2), inputMask(1, 2)};
  std::vector<heddle_array> inputs = list(arrays);
  inputs[0].place.memory = reinterpret_cast<heddle_memory *>(x);
  EXPECT_EQ(heddle_call_bind(call, inputs.data(), 2), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_call_error(call),
               "input 'x': its elements are in memory of a device, but the model's code is for a CPU");
}

TEST_F(Call, OutputsAreCheckedToo) {
  EXPECT_EQ(run({outputRows(1, 2)}, HEDDLE_INVALID_ARGUMENT), "the inputs are not bound; bind them before the run");
  ASSERT_EQ(bind({inputX(1, 2), inputMask(1, 2)}), "");
  EXPECT_EQ(run({}, HEDDLE_INVALID_ARGUMENT), "output 'rows' is missing");
  EXPECT_EQ(run({outputRows(1, 3)}, HEDDLE_INVALID_ARGUMENT),
            "output 'rows': expected shape [1, 2], found [1, 3]; new is 2");
  EXPECT_EQ(run({{"rows", HEDDLE_I32, {1, 2}, rows}}, HEDDLE_INVALID_ARGUMENT),
            "output 'rows': expected elements of type f32, found i32");
  EXPECT_EQ(run({outputRows(1, 2), outputRows(1, 2)}, HEDDLE_INVALID_ARGUMENT), "output 'rows' is given twice");
  EXPECT_EQ(run({{"row", HEDDLE_F32, {1, 2}, rows}}, HEDDLE_INVALID_ARGUMENT),
            "no output is called 'row'; names: 'rows', 'total'");
  EXPECT_EQ(run({outputRows(1, 2)}), ""); // the inputs are still bound after the errors
}

TEST_F(Call, TheErrorNamesAnElementOutOfItsRange) {
  mask[9] = 2;
  ASSERT_EQ(bind({inputX(2, 3), inputMask(2, 8)}), "");
  EXPECT_EQ(run({outputRows(2, 3)}, HEDDLE_INDEX_OUT_OF_RANGE), "input 'mask': element [1, 1] is 2, outside 0..1");
}

TEST_F(Call, TheArenaGrowsAndIsReused) {
  size_t size = 1;
  EXPECT_EQ(heddle_call_arena(call, &size), nullptr);
  EXPECT_EQ(size, 0u);
  ASSERT_EQ(bind({inputX(1, 2), inputMask(1, 2)}), "");
  EXPECT_EQ(run({outputRows(1, 2)}), "");
  void *first = heddle_call_arena(call, &size);
  EXPECT_TRUE(first);
  EXPECT_EQ(size, 2 * DescribedModel::arenaPerThread);
  EXPECT_EQ(heddle_call_reserve(call, nullptr, 3), HEDDLE_OK);
  void *largest = heddle_call_arena(call, &size);
  EXPECT_EQ(size, 3 * 4 * 10 * DescribedModel::arenaPerThread);
  EXPECT_EQ(run({outputRows(1, 2)}), "");
  EXPECT_EQ(heddle_call_arena(call, &size), largest);
  const size_t tooLarge[] = {9, 0, 1};
  EXPECT_EQ(heddle_call_reserve(call, tooLarge, 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_call_reserve(call, nullptr, SIZE_MAX / 4096), HEDDLE_ARENA_TOO_SMALL);
  EXPECT_EQ(std::string(heddle_call_error(call)).rfind("out of memory: described needs an arena of ", 0), 0u);
  EXPECT_EQ(run({outputRows(1, 2)}), "");
}

// On two threads, the model needs the largest arena for one sequence and ten new rows, and on three threads for four
// sequences and three new rows. These are the largest sizes of their classes.
TEST(CallOfClasses, ReservingCountsEachClassOfSizes) {
  static const int64_t ofB[] = {1, 2}, ofNew[] = {1, 4};
  DescribedModel described;
  described.sizes[DescribedModel::B].class_count = described.sizes[DescribedModel::New].class_count = 2;
  described.sizes[DescribedModel::B].classes = ofB;
  described.sizes[DescribedModel::New].classes = ofNew;
  described.model.arena_size = [](const size_t *sizes, size_t threads) {
    const size_t b = sizes[DescribedModel::B], rows = sizes[DescribedModel::New];
    return threads * ((threads == 2 ? b == 1 && rows == 10 : b == 4 && rows == 3) ? 6400 : 64);
  };
  char error[200];
  heddle_instance *instance = heddle_instance_create(&described.model, nullptr, error, sizeof error);
  ASSERT_TRUE(instance) << error;
  heddle_call *call = heddle_call_create(instance);
  size_t size = 0;
  for (size_t threads : {2, 3}) {
    EXPECT_EQ(heddle_call_reserve(call, nullptr, threads), HEDDLE_OK);
    heddle_call_arena(call, &size);
    EXPECT_EQ(size, threads * 6400);
  }
  heddle_call_destroy(call);
  heddle_instance_destroy(instance);
}

TEST_F(Call, SizesAreInferredWithoutACall) {
  std::vector<Array> arrays = {inputX(2, 3), inputMask(2, 4)};
  std::vector<heddle_array> inputs = list(arrays);
  size_t sizes[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
  char error[200];
  // SIZE_MAX marks a size that must be inferred.
  EXPECT_EQ(heddle_infer_sizes(&described.model, inputs.data(), 2, sizes, error, sizeof error), HEDDLE_OK);
  EXPECT_EQ(sizes[DescribedModel::Past], 1u);
  // Without the mask, no input determines `past`, but `sizes` already contains its value from the previous call.
  EXPECT_EQ(heddle_infer_sizes(&described.model, inputs.data(), 1, sizes, error, sizeof error), HEDDLE_OK);
  sizes[DescribedModel::Past] = SIZE_MAX;
  EXPECT_EQ(heddle_infer_sizes(&described.model, inputs.data(), 1, sizes, error, 12), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "the given i");
}

TEST_F(Call, ARangeOfASingleValueDeterminesItsSize) {
  const heddle_size ranges[3] = {{"b", 1, 4}, {"past", 7, 7}, {"new", 1, 10}};
  described.model.sizes = ranges;
  std::vector<Array> arrays = {inputX(2, 3), inputMask(2, 9)};
  std::vector<heddle_array> inputs = list(arrays);
  size_t sizes[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
  char error[200];
  EXPECT_EQ(heddle_infer_sizes(&described.model, inputs.data(), 1, sizes, error, sizeof error), HEDDLE_OK);
  EXPECT_EQ(std::vector<size_t>(sizes, sizes + 3), (std::vector<size_t>{2, 7, 3}));
  EXPECT_EQ(heddle_infer_sizes(&described.model, inputs.data(), 2, sizes, error, sizeof error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "input 'mask': expected shape [2, 10], found [2, 9]; past is 7, new is 3");
}

} // namespace
