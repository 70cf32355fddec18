//===- cpp_test.cpp - the runtime's C++ header ----------------------------===//
//
// heddle/heddle.hpp wraps the C interface in classes. The tests check that the
// results and errors of the classes are those of the C functions, and that
// objects keep what they use alive when they are moved or when a temporary is
// destroyed.
//
//===----------------------------------------------------------------------===//

#include "DescribedModel.h"

#include "heddle/heddle.hpp"

#include <gtest/gtest.h>

namespace {

static_assert(heddle::typeOf<float>() == HEDDLE_F32 && heddle::typeOf<long>() == HEDDLE_I64 &&
              heddle::typeOf<long long>() == HEDDLE_I64 && heddle::typeOf<bool>() == HEDDLE_BOOL);
static_assert(std::is_copy_constructible_v<heddle::Model> && !std::is_copy_constructible_v<heddle::Call> &&
              std::is_nothrow_move_constructible_v<heddle::Call>);

TEST(Cpp, CallsAModelThatIsLinkedIn) {
  DescribedModel described;
  heddle::Model model(&described.model);
  ASSERT_TRUE(model) << model.error();
  EXPECT_STREQ(model.variant(), "fast");
  EXPECT_EQ(model.description().input_count, 2u);
  heddle::Call call(model);
  ASSERT_TRUE(call);
  float x[2 * 3 * 4] = {1};
  const int64_t mask[2 * 3] = {1, 1, 1, 1, 1, 1};
  ASSERT_EQ(call.bind({{"x", x, {2, 3, 4}}, {"mask", mask, {2, 3}}}), HEDDLE_OK) << call.error();
  EXPECT_EQ(call.shape("rows"), (heddle::Shape{2, 3}));
  EXPECT_EQ(call.shape("nothing"), heddle::Shape());
  EXPECT_EQ(call.elements("total"), 1u);
  EXPECT_EQ(call.elements("nothing"), 0u);
  std::vector<float> rows(call.elements("rows"));
  double total = 0;
  heddle::Executor executor(2);
  ASSERT_TRUE(executor);
  EXPECT_EQ(call.reserve(2), HEDDLE_OK);
  ASSERT_EQ(call.run({{"rows", rows.data(), call.shape("rows")}, {"total", &total, {}}}, executor.get()), HEDDLE_OK)
      << call.error();
  EXPECT_EQ(rows[0], 2);
  EXPECT_EQ(total, 7);
  EXPECT_EQ(call.setSize("b", 9), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(call.error(), "b is 9, outside 1..4");
}

/// A call shares the ownership of its model, so the temporary model may be destroyed before the call runs.
TEST(Cpp, ACallKeepsItsModel) {
  DescribedModel described;
  heddle_instance_options options = heddle::options();
  options.variant = "slow";
  heddle::Model other(&described.model);
  heddle::Call call{heddle::Model(&described.model, options)};
  heddle::Call moved = std::move(call);
  EXPECT_FALSE(call);
  float x[4] = {}, rows[1];
  const int64_t mask[1] = {0};
  ASSERT_EQ(moved.bind({{"x", x, {1, 1, 4}}, {"mask", mask, {1, 1}}}), HEDDLE_OK) << moved.error();
  EXPECT_EQ(moved.run({{"rows", HEDDLE_F32, rows, {1, 1}}}), HEDDLE_OK) << moved.error();
  moved = heddle::Call(other);
  EXPECT_EQ(moved.run({}), HEDDLE_INVALID_ARGUMENT);
}

TEST(Cpp, FailedObjectsHaveAReason) {
  heddle::Model model = heddle::Model::load("/nonexistent.so");
  EXPECT_FALSE(model);
  EXPECT_NE(std::string(model.error()).find("/nonexistent.so"), std::string::npos);
  EXPECT_FALSE(heddle::Call(model));
  EXPECT_FALSE(heddle::Model(nullptr));
  heddle::Device device("nothing");
  EXPECT_FALSE(device);
  EXPECT_STRNE(device.error(), "");
  EXPECT_TRUE(heddle::Device("null"));
}

} // namespace
