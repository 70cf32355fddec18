//===- model_test.cpp - descriptions of libraries -------------------------===//
//
// A compiled library describes its model in structs (heddle/model.h).
// heddle_model_read checks and copies this description. Libraries may come from
// other versions of Heddle or be damaged, so each check is tested, because the
// runtime relies on a description that was read.
//
//===----------------------------------------------------------------------===//

#include "heddle/library.h"

#include "gtest/gtest.h"

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace {

/// A valid description, with fixed and computed extents. The tests change parts of it.
struct Description : testing::Test {
  Description() {
    model.abi = HEDDLE_ABI_VERSION;
    model.struct_size = sizeof model;
    model.variant_stride = sizeof(heddle_variant);
    model.size_stride = sizeof(heddle_size);
    model.tensor_stride = sizeof(heddle_tensor);
    model.name = model.source = "model";
    model.variant_count = 1;
    model.variants = &variant;
    model.size_count = 2;
    model.sizes = sizes;
    model.input_count = model.output_count = 1;
    model.inputs = &input;
    model.outputs = &output;
    model.instance_size = 32;
    model.init = [](void *, const char *, const void *, size_t) { return HEDDLE_OK; };
    model.variant = [](const void *) { return "cpu"; };
    model.arena_size = [](const size_t *, size_t) { return size_t(1); };
    model.run = [](const void *, const size_t *, const void *const *, void *const *, void *, size_t,
                   const heddle_executor *) { return HEDDLE_OK; };
    input.name = "x";
    output.name = "y";
    input.type = output.type = HEDDLE_F32;
    input.rank = output.rank = 2;
    input.shape = fixed;
    output.shape = open;
    output.extents = extents;
  }

  /// Reads the description. Returns the error, or "" if there is none.
  std::string whyNot() {
    const char *reason = nullptr;
    heddle_model *copy = heddle_model_read(&model, &reason);
    EXPECT_EQ(copy == nullptr, reason != nullptr);
    heddle_model_free(copy);
    return reason ? reason : "";
  }
  /// Reads the description with `words` as the expression of the output's first extent. Returns the error, or "".
  std::string whyNotCode(std::vector<int64_t> words) {
    extents[0] = {words.data(), words.size()};
    return whyNot();
  }

  heddle_variant variant = {"cpu", "triple cpu"};
  heddle_size sizes[2] = {{"s", 1, 9}, {"t", 0, 100}};
  const int64_t fixed[2] = {3, 4}, open[2] = {-1, 5};
  // The expression 3 * floor((s + t) / 2) in postfix form.
  const int64_t code[14] = {HEDDLE_SIZE_NUMBER, 3, HEDDLE_SIZE_OF_CALL, 0, HEDDLE_SIZE_OF_CALL,      1, HEDDLE_SIZE_ADD, 0,
                            HEDDLE_SIZE_NUMBER, 2, HEDDLE_SIZE_FLOOR_DIVIDE, 0, HEDDLE_SIZE_MULTIPLY, 0};
  const int64_t five[2] = {HEDDLE_SIZE_NUMBER, 5};
  heddle_expression extents[2] = {{code, 14}, {five, 2}};
  heddle_tensor input = {}, output = {};
  heddle_model model = {};
};

constexpr const char *unknown = "describes an extent that this version of heddle cannot compute";

TEST_F(Description, IsCopied) {
  const char *reason;
  std::unique_ptr<heddle_model, void (*)(heddle_model *)> copy(heddle_model_read(&model, &reason), heddle_model_free);
  ASSERT_TRUE(copy) << reason;
  EXPECT_NE(copy->inputs, model.inputs);
  EXPECT_STREQ(copy->outputs[0].name, "y");
  EXPECT_STREQ(copy->variants[0].target, "triple cpu");
  EXPECT_EQ(copy->sizes[1].high, 100);
  const size_t at[] = {4, 7};
  EXPECT_EQ(heddle_extent(copy.get(), copy->outputs, 0, at), 15);
  EXPECT_EQ(heddle_extent(copy.get(), copy->outputs, 1, at), 5);
  EXPECT_EQ(heddle_extent(copy.get(), copy->inputs, 1, nullptr), 4);
}

/// Structs of a later version may be longer. The description contains their sizes, and the fields that this version
/// does not know are ignored.
TEST_F(Description, LaterVersionsMayHaveMoreFields) {
  struct {
    heddle_model model;
    uint64_t more[5];
  } later;
  struct Tensor {
    heddle_tensor tensor;
    uint64_t more[3];
  } inputs[2], outputs[1];
  memset(&later, 0xee, sizeof later);
  memset(inputs, 0xee, sizeof inputs);
  inputs[0].tensor = input;
  inputs[1].tensor = output;
  outputs[0].tensor = output;
  model.struct_size = sizeof later;
  model.tensor_stride = sizeof(Tensor);
  model.input_count = 2;
  model.inputs = &inputs[0].tensor;
  model.outputs = &outputs[0].tensor;
  later.model = model;
  const char *reason;
  std::unique_ptr<heddle_model, void (*)(heddle_model *)> copy(heddle_model_read(&later.model, &reason),
                                                               heddle_model_free);
  ASSERT_TRUE(copy) << reason;
  EXPECT_STREQ(copy->inputs[1].name, "y"); // the structs of the copy have the sizes of this version
  EXPECT_EQ(copy->tensor_stride, sizeof(heddle_tensor));
  EXPECT_EQ(copy->struct_size, sizeof(heddle_model));
}

TEST_F(Description, UnknownContentsAreRefused) {
  model.needs = 4;
  EXPECT_EQ(whyNot(), "needs a feature that this version of heddle does not support");
  model.needs = 0;
  input.type = 99;
  EXPECT_EQ(whyNot(), "has a tensor of a type that this version of heddle does not know");
  input.type = HEDDLE_F32;
  for (uint32_t heddle_tensor::*way : {&heddle_tensor::format, &heddle_tensor::state}) {
    output.*way = 1;
    EXPECT_EQ(whyNot(), "has a tensor that is stored in a way that this version of heddle does not know");
    output.*way = 0;
  }
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_OF_CALL, 0, HEDDLE_SIZE_OF_CALL, 1, 9, 0}), unknown);
  model.abi = 4;
  EXPECT_EQ(whyNot(), "was written for another version of heddle");
}

TEST_F(Description, InvalidContentsAreRefused) {
  for (auto wrong : std::initializer_list<void (*)(heddle_model &)>{
           [](heddle_model &m) { m.struct_size -= 8; }, [](heddle_model &m) { m.name = nullptr; },
           [](heddle_model &m) { m.run = nullptr; }, [](heddle_model &m) { m.init = nullptr; },
           [](heddle_model &m) { m.device = "vulkan"; }, [](heddle_model &m) { m.tensor_stride = 8; },
           [](heddle_model &m) { m.size_stride = 0; }, [](heddle_model &m) { m.variant_stride = 8; },
           [](heddle_model &m) { m.inputs = nullptr; }, [](heddle_model &m) { m.output_count = UINT64_MAX / 64; },
           [](heddle_model &m) { m.sizes = nullptr; }, [](heddle_model &m) { m.variant_count = uint64_t(1) << 40; }}) {
    heddle_model before = model;
    wrong(model);
    EXPECT_NE(whyNot(), "");
    model = before;
  }
  for (auto wrong : std::initializer_list<void (*)(heddle_tensor &)>{
           [](heddle_tensor &t) { t.name = nullptr; }, [](heddle_tensor &t) { t.shape = nullptr; },
           [](heddle_tensor &t) { t.extents = nullptr; }, [](heddle_tensor &t) { t.rank = UINT32_MAX; }}) {
    heddle_tensor before = output;
    wrong(output);
    EXPECT_NE(whyNot(), "");
    output = before;
  }
  sizes[0].low = 10;
  EXPECT_EQ(whyNot(), "describes a size without a name or a range");
  sizes[0].low = 1;
  EXPECT_EQ(whyNot(), "");
}

/// Expressions must not use unknown sizes, nor take values from an empty stack or leave more than one value there, nor
/// need a deeper stack than HEDDLE_SIZE_STACK.
TEST_F(Description, CodeOutOfBoundsIsRefused) {
  EXPECT_EQ(whyNotCode({}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_NUMBER}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_OF_CALL, 2}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_OF_CALL, -1}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_ADD, 0}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_NUMBER, 1, HEDDLE_SIZE_ADD, 0}), unknown);
  EXPECT_EQ(whyNotCode({HEDDLE_SIZE_NUMBER, 1, HEDDLE_SIZE_NUMBER, 1}), unknown);
  EXPECT_EQ(whyNotCode({-1, 0}), unknown);
  for (int numbers : {int(HEDDLE_SIZE_STACK), int(HEDDLE_SIZE_STACK) + 1}) {
    std::vector<int64_t> deep;
    for (int i = 0; i < numbers; ++i)
      deep.insert(deep.end(), {HEDDLE_SIZE_NUMBER, 1});
    for (int i = 1; i < numbers; ++i)
      deep.insert(deep.end(), {HEDDLE_SIZE_ADD, 0});
    EXPECT_EQ(whyNotCode(deep), numbers > HEDDLE_SIZE_STACK ? unknown : "");
    int64_t value = -1;
    heddle_expression expression = {deep.data(), deep.size()};
    EXPECT_EQ(heddle_evaluate(&expression, nullptr, 0, &value), numbers <= HEDDLE_SIZE_STACK);
    EXPECT_EQ(value, numbers > HEDDLE_SIZE_STACK ? -1 : numbers);
  }
}

/// Evaluates the operation `code` of `a` and `b`. Returns false if the result is undefined or does not fit in 64 bits.
bool evaluate(int64_t code, int64_t a, int64_t b, int64_t &value) {
  int64_t words[] = {HEDDLE_SIZE_NUMBER, a, HEDDLE_SIZE_NUMBER, b, code, 0};
  heddle_expression expression = {words, 6};
  return heddle_evaluate(&expression, nullptr, 0, &value);
}

TEST(Expressions, HaveAValueUnless64BitsAreTooFew) {
  std::vector<int64_t> numbers = {0, 1, -1, 2, -2, 3, -3, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MIN / 2, 1 << 30};
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i)
    numbers.push_back(int64_t(random()) >> random() % 63);
  for (int64_t a : numbers)
    for (int64_t b : numbers) {
      int64_t value = 0, expected = 0;
      auto check = [&](int64_t code, bool fits) {
        EXPECT_EQ(evaluate(code, a, b, value), fits) << code << ": " << a << ", " << b;
        if (fits) {
          EXPECT_EQ(value, expected) << code << ": " << a << ", " << b;
        }
      };
      check(HEDDLE_SIZE_ADD, !__builtin_add_overflow(a, b, &expected));
      check(HEDDLE_SIZE_MULTIPLY, !__builtin_mul_overflow(a, b, &expected));
      bool divides = b != 0 && !(a == INT64_MIN && b == -1);
      expected = divides ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0;
      check(HEDDLE_SIZE_FLOOR_DIVIDE, divides);
      expected = std::min(a, b);
      check(HEDDLE_SIZE_MIN, true);
      expected = std::max(a, b);
      check(HEDDLE_SIZE_MAX, true);
      expected = a < b;
      check(HEDDLE_SIZE_LESS, true);
      expected = a == b;
      check(HEDDLE_SIZE_EQUAL, true);
    }
}

TEST(Expressions, HaveNoValueWithoutTheSizesOfTheCall) {
  const int64_t words[] = {HEDDLE_SIZE_OF_CALL, 1};
  heddle_expression expression = {words, 2}, none = {nullptr, 2};
  const size_t sizes[] = {3, 4}, huge[] = {3, SIZE_MAX};
  int64_t value = 0;
  EXPECT_TRUE(heddle_evaluate(&expression, sizes, 2, &value));
  EXPECT_EQ(value, 4);
  EXPECT_FALSE(heddle_evaluate(&expression, sizes, 1, &value));
  EXPECT_FALSE(heddle_evaluate(&expression, huge, 2, &value));
  EXPECT_FALSE(heddle_evaluate(&none, sizes, 2, &value));
}

// heddle_extent returns -1 for a computed extent whose expression is missing or has a negative value, so that a caller
// does not convert this value to a huge unsigned size.
TEST(Expressions, NegativeExtentsAreErrors) {
  const int64_t words[] = {HEDDLE_SIZE_NUMBER, -7}, open[] = {-1};
  heddle_expression expression = {words, 2};
  heddle_model model = {};
  heddle_tensor tensor = {};
  tensor.shape = open;
  EXPECT_EQ(heddle_extent(&model, &tensor, 0, nullptr), -1);
  tensor.extents = &expression;
  EXPECT_EQ(heddle_extent(&model, &tensor, 0, nullptr), -1);
}

} // namespace
