//===- attention_rounding_test.cpp - attention with narrow products -------===//
//
// With `rounding`, heddle.attention rounds both factors of each product:
// queries and keys, exponentials and values. The interpreter must round the
// same numbers as compiled code does. Expected values are computed here by the
// formula in the description of the operation.
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

#include "llvm/ADT/APFloat.h"

using heddle::Tensor;
using Floats = std::vector<double>;

namespace {
/// Evaluates attention whose attribute `rounding` is the test's parameter, "bf16" or "f16".
struct RoundedAttention : testing::TestWithParam<const char *> {
  Runner runner;
  // There are two heads, three queries and four keys with 2 elements, and values with 3 elements. The elements are
  // multiples of 1/28, most of which are not bf16 numbers.
  Tensor query = sevenths({1, 2, 3, 2}, 7), key = sevenths({1, 2, 4, 2}, 5), value = sevenths({1, 2, 4, 3}, 3);
  Tensor mask = runner.ints({3, 4}, 1, {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1});

  /// Returns `pattern` divided by 7, in f32.
  Tensor sevenths(llvm::ArrayRef<int64_t> shape, int64_t a) {
    Tensor tensor = pattern(runner, shape, a);
    for (double &element : tensor.mutableFloats())
      element = float(element / 7);
    return tensor;
  }
  /// Returns the result of heddle.attention with these attributes. `operands` is the text of its optional operands, and
  /// `further` contains their values.
  Floats result(std::string attributes, std::string operands = "", llvm::ArrayRef<Tensor> further = {}) {
    llvm::SmallVector<Tensor> all = {query, key, value};
    llvm::append_range(all, further);
    return runOp(runner, "heddle.attention %a0, %a1, %a2 " + operands + " {" + attributes + "}", all, {{1, 2, 3, 3}});
  }
  std::string rounding = std::string("rounding = ") + GetParam();

  /// Returns the number of the parameter's type that is nearest to `x`, ties to even.
  static double nearest(double x) {
    llvm::APFloat number = llvm::APFloat(float(x));
    bool losesInfo;
    number.convert(llvm::StringRef(GetParam()) == "bf16" ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  }
};
} // namespace

TEST_P(RoundedAttention, RoundsTheFactorsOfProducts) {
  Floats expected(18, 0.0);
  for (int64_t row = 0; row < 6; ++row) {
    double scores[4], sum = 0;
    for (int64_t j = 0; j < 4; ++j) {
      scores[j] = 0;
      for (int64_t l = 0; l < 2; ++l)
        scores[j] += 0.7 * nearest(query.floats()[row * 2 + l]) * nearest(key.floats()[(row / 3 * 4 + j) * 2 + l]);
    }
    for (double score : scores)
      sum += nearest(std::exp(score) * 0x1p-4); // a common factor that is a power of two cancels out
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t l = 0; l < 3; ++l)
        expected[row * 3 + l] +=
            nearest(std::exp(scores[j]) * 0x1p-4) / sum * nearest(value.floats()[(row / 3 * 4 + j) * 3 + l]);
  }
  Floats rounded = result("scale = 0.7, " + rounding), plain = result("scale = 0.7");
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_NEAR(rounded[i], expected[i], 1e-12) << i;
  EXPECT_NE(rounded, plain);
  // A bias that is equal for all keys does not change a softmax. Here it changes only how the exponentials are rounded.
  Tensor bias = pattern(runner, {1}, 7);
  Floats moved = result("scale = 0.7, " + rounding, "bias(%a3)", {bias});
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_NEAR(moved[i], plain[i], 0.01) << i;
  // If a query attends to only one key, the result is the value of this key, rounded.
  Tensor single = runner.ints({3, 4}, 1, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
  Floats one = result("scale = 0.7, " + rounding, "mask(%a3)", {single});
  for (int64_t i = 0; i < 18; ++i) {
    int64_t key = i % 9 / 3 == 2 ? 3 : i % 9 / 3;
    EXPECT_NEAR(one[i], nearest(value.floats()[(i / 9 * 4 + key) * 3 + i % 3]), 1e-15) << i;
  }
  // The mask removes all keys of query 1, so its result is 0. If masked keys have the lowest finite number as their
  // score instead, query 1 attends equally to all keys.
  EXPECT_EQ(result(rounding, "mask(%a3)", {mask})[3], 0);
  double low = -double(std::numeric_limits<float>::max());
  Floats even = result(rounding + ", masked_score = " + std::to_string(low), "mask(%a3)", {mask});
  double mean = 0;
  for (int64_t j = 0; j < 4; ++j)
    mean += nearest(value.floats()[j * 3]) / 4;
  EXPECT_NEAR(even[3], mean, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, RoundedAttention, testing::Values("bf16", "f16"),
                         [](const auto &info) { return info.param; });
