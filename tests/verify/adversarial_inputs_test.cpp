//===- adversarial_inputs_test.cpp - hard inputs for operations -----------===//
//
// adversarialInputs creates cases, such as "huge", for the operations of a
// model. dropOverflows and dropSharedOverflows exclude elements that cannot be
// compared, by setting them to NaN in the result and in both references.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "heddle/Verify.h"

#include <cmath>
#include <map>

using namespace heddle;

using Cases = std::map<std::string, llvm::SmallVector<Tensor>>;

/// Returns the inputs of each case for the function @main of the module `text`, by the case's name.
static Cases casesOf(Runner &runner, llvm::StringRef text) {
  runner.module = mlir::parseSourceString<mlir::ModuleOp>(text, &runner.context);
  Cases result;
  auto main = runner.module->lookupSymbol<mlir::func::FuncOp>("main");
  auto cases = adversarialInputs(main, 1);
  EXPECT_TRUE(succeeded(cases));
  EXPECT_EQ(countAdversarialInputs(main), succeeded(cases) ? cases->size() : 0);
  if (succeeded(cases))
    for (InputCase &test : *cases)
      result[test.name] = std::move(test.inputs);
  return result;
}

TEST(AdversarialInputs, NormsGetRowsWithoutVariance) {
  Runner runner;
  Cases cases = casesOf(runner, R"mlir(
    func.func @main(%x: tensor<3x8xf32>, %scale: tensor<8xf32>) -> tensor<3x8xf32> {
      %0 = heddle.layer_norm %x scale(%scale) : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
      return %0 : tensor<3x8xf32>
    })mlir");
  ASSERT_TRUE(cases.count("zero-variance") && cases.count("nan") && cases.count("huge"));
  EXPECT_FALSE(cases.count("large-scores") || cases.count("all-masked"));
  auto rows = cases["zero-variance"][0].floats();
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(rows[i], rows[i / 8 * 8]);
  EXPECT_NE(rows[0], rows[8]);
  EXPECT_EQ(llvm::count_if(cases["nan"][0].floats(), [](double x) { return std::isnan(x); }), 2);
  // The scale, input 1, is unchanged, and the huge values are finite in f32.
  EXPECT_EQ(cases["huge"][1].floats(), cases["nan"][1].floats());
  for (double x : cases["huge"][0].floats())
    EXPECT_EQ(x, double(float(x)));
}

TEST(AdversarialInputs, AttentionGetsSpecialValuesAtRemovedKeys) {
  Runner runner;
  Cases cases = casesOf(runner, R"mlir(
    func.func @main(%q: tensor<1x5x2x4xf32>, %kv: tensor<1x2x6x4xf32>, %n: tensor<1xi64>) -> tensor<1x2x5x4xf32> {
      %0 = tensor.empty() : tensor<1x2x5x4xf32>
      %1 = linalg.transpose ins(%q : tensor<1x5x2x4xf32>) outs(%0 : tensor<1x2x5x4xf32>) permutation = [0, 2, 1, 3]
      %2 = heddle.attention %1, %kv, %kv key_lengths(%n)
        : (tensor<1x2x5x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1xi64>) -> tensor<1x2x5x4xf32>
      return %2 : tensor<1x2x5x4xf32>
    })mlir");
  // The role of an input is also found through a transpose: %q contains the queries.
  ASSERT_TRUE(cases.count("large-scores") && cases.count("all-masked"));
  EXPECT_EQ(cases["all-masked"][2].ints()[0], 0);
  // An input that is both key and value has the role of the key, so no input has the role of the value, and the case
  // that changes values does not apply.
  EXPECT_FALSE(cases.count("removed-not-finite"));

  cases = casesOf(runner, R"mlir(
    func.func @main(%q: tensor<1x1x5x4xf32>, %k: tensor<1x1x6x4xf32>, %v: tensor<1x1x6x4xf32>, %n: tensor<1xi64>)
        -> tensor<1x1x5x4xf32> {
      %2 = heddle.attention %q, %k, %v key_lengths(%n)
        : (tensor<1x1x5x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>, tensor<1xi64>) -> tensor<1x1x5x4xf32>
      return %2 : tensor<1x1x5x4xf32>
    })mlir");
  ASSERT_TRUE(cases.count("removed-not-finite"));
  auto &inputs = cases["removed-not-finite"];
  EXPECT_EQ(inputs[3].ints()[0], 3);
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(std::isfinite(inputs[2].floats()[i]), i < 12) << i;
}

TEST(AdversarialInputs, LinearAttentionAlsoHasQueriesAndKeys) {
  Runner runner;
  Cases cases = casesOf(runner, R"mlir(
    func.func @main(%q: tensor<5x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x3xf32>) -> tensor<5x3xf32> {
      %0 = heddle.linear_attention %q, %k, %v : (tensor<5x4xf32>, tensor<6x4xf32>, tensor<6x3xf32>) -> tensor<5x3xf32>
      return %0 : tensor<5x3xf32>
    })mlir");
  ASSERT_TRUE(cases.count("one-dominant") && cases.count("large-scores"));
  // Values, input 2, are equal in both cases. Keys, input 1, differ.
  EXPECT_EQ(cases["one-dominant"][2].floats(), cases["large-scores"][2].floats());
  EXPECT_NE(cases["one-dominant"][1].floats(), cases["large-scores"][1].floats());
}

TEST(AdversarialInputs, MasksAreFullAndEmptyAndIndicesAreUnchanged) {
  Runner runner;
  Cases cases = casesOf(runner, R"mlir(func.func @main(
    %ids: tensor<2x4xi64> {heddle.range = array<i64: 0, 9>},
    %mask: tensor<2x4xi64> {heddle.name = "attention_mask", heddle.range = array<i64: 0, 1>}) { return })mlir");
  EXPECT_EQ(cases.size(), 3u);
  EXPECT_EQ(llvm::count(cases["all-kept"][1].ints(), 1), 8);
  EXPECT_EQ(llvm::count(cases["one-kept"][1].ints(), 1), 2);
  EXPECT_EQ(llvm::count(cases["all-masked"][1].ints(), 1), 0);
  EXPECT_EQ(cases["all-kept"][0].ints(), cases["all-masked"][0].ints());
}

/// If a sum overflows in f64, the order of its terms determines whether the result is NaN or an infinity. So such
/// elements are excluded if the inputs are finite (`finite`). If an input is not finite, these elements are compared.
TEST(DropOverflows, ExcludesResultsThatOverflowF64) {
  Runner runner;
  auto f64 = [&](std::vector<double> elements) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(double));
    return *Tensor::fromBytes({int64_t(elements.size())}, mlir::Float64Type::get(&runner.context),
                              {bytes.data(), bytes.size()});
  };
  Reference reference;
  reference.wide = {f64({1.0, NAN, NAN, -INFINITY})};
  reference.narrow = reference.wide;
  Tensor actual = f64({1.0, INFINITY, NAN, INFINITY});
  EXPECT_EQ(dropOverflows(actual, reference, 0), 0);
  EXPECT_FALSE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  EXPECT_EQ(dropOverflows(actual, reference, 0, /*finite=*/true), 2);
  EXPECT_TRUE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  // A NaN in place of a number is wrong, and so is a number in place of a NaN.
  reference.wide = reference.narrow = {f64({1.0, NAN})};
  for (auto elements : {std::vector<double>{NAN, NAN}, {1.0, 1.0}}) {
    actual = f64(elements);
    EXPECT_EQ(dropOverflows(actual, reference, 0, /*finite=*/true), 0);
    EXPECT_FALSE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  }
}

/// Twice the lowest finite number is -inf in f32. If the model itself computes such a product, the infinity in the
/// generated code is not an error.
TEST(DropOverflows, ExcludesResultsThatTheModelMakesInfinite) {
  Runner runner;
  Reference reference;
  reference.wide = {runner.f32({3}, {1.0, 2.0, 3.0})};
  reference.narrow = {runner.f32({3}, {1.0, NAN, INFINITY})};
  Tensor actual = runner.f32({3}, {1.0, NAN, INFINITY});
  EXPECT_EQ(dropSharedOverflows(actual, reference, 0), 2);
  EXPECT_TRUE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  // An infinity with the other sign is wrong. NaN is wrong if the f32 reference is finite.
  for (auto elements : {std::vector<double>{1.0, INFINITY, -INFINITY}, {NAN, 2.0, 3.0}}) {
    reference.wide = {runner.f32({3}, {1.0, 2.0, 3.0})};
    reference.narrow = {runner.f32({3}, {1.0, NAN, INFINITY})};
    actual = runner.f32({3}, elements);
    EXPECT_EQ(dropSharedOverflows(actual, reference, 0), 0);
    EXPECT_FALSE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  }
}

/// Element 1 is finite in f64 and NaN in f32, so an intermediate value overflowed in f32, and any result is accepted.
TEST(DropOverflows, ExcludesResultsWhoseIntermediatesOverflowF32) {
  Runner runner;
  Reference reference;
  reference.wide = {runner.f32({3}, {1.0, 2.0, NAN})};
  reference.narrow = {runner.f32({3}, {1.0, NAN, NAN})};
  Tensor actual = runner.f32({3}, {1.0, INFINITY, NAN});
  EXPECT_FALSE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  EXPECT_EQ(dropOverflows(actual, reference, 0), 1);
  EXPECT_TRUE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
  // A NaN is still wrong if both references are finite.
  actual = runner.f32({3}, {NAN, INFINITY, NAN});
  EXPECT_EQ(dropOverflows(actual, reference, 0), 0);
  EXPECT_FALSE(compare("y", actual, reference.wide[0], reference.narrow[0]).ok);
}
