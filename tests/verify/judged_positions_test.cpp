//===- judged_positions_test.cpp - positions that a mask selects ----------===//
//
// With `heddle verify --where MASK`, an input of the model selects the positions
// of outputs that are compared. Other positions, such as padding, have no
// meaning.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "heddle/JudgedPositions.h"
#include "heddle/Verify.h"

#include <random>

using namespace heddle;

namespace {
struct Random {
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t count) { return engine() % count; }          // a number that is less than `count`
  double number() { return double(int64_t(below(2001)) - 1000) / 16; } // from -62.5 to 62.5

  std::mt19937_64 engine;
};
} // namespace

/// Returns the elements of `tensor` at the positions where `mask` is not 0, as a tensor [positions, elements of each].
static Tensor kept(const Tensor &tensor, const Tensor &mask) {
  int64_t each = tensor.size() / mask.size(), count = 0;
  std::vector<double> floats;
  std::vector<int64_t> ints;
  for (int64_t i = 0; i < mask.size(); ++i) {
    if (mask.ints()[i] == 0)
      continue;
    ++count;
    for (int64_t j = i * each; j < (i + 1) * each; ++j)
      tensor.isFloat() ? floats.push_back(tensor.floats()[j]) : ints.push_back(tensor.ints()[j]);
  }
  return tensor.isFloat() ? Tensor({count, each}, tensor.elementType(), std::move(floats))
                          : Tensor({count, each}, tensor.elementType(), std::move(ints));
}

/// Comparing the selected positions must give the same result as comparing tensors that contain only these positions.
TEST(JudgedPositions, AreComparedWithoutOtherPositions) {
  Runner runner;
  unsigned wrong = 0, right = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    llvm::SmallVector<int64_t> positions, shape;
    for (uint64_t rank = random.below(3); positions.size() <= rank;)
      positions.push_back(int64_t(1 + random.below(4)));
    shape = positions;
    for (uint64_t more = random.below(3); more > 0; --more)
      shape.push_back(int64_t(1 + random.below(4)));
    Tensor mask(positions, mlir::IntegerType::get(&runner.context, random.below(2) ? 1 : 64));
    for (int64_t &element : mask.mutableInts())
      element = int64_t(random.below(2));
    JudgedPositions judged("mask", mask);
    EXPECT_EQ(judged.all(), mask.size());
    EXPECT_EQ(judged.leftOut(), llvm::count(mask.ints(), 0));

    bool isFloat = random.below(3) > 0, isNear = random.below(2);
    Tensor wide(shape, isFloat ? mlir::Type(mlir::Float32Type::get(&runner.context))
                               : mlir::Type(mlir::IntegerType::get(&runner.context, 32)));
    Tensor narrow = wide, actual = wide;
    int64_t each = wide.size() / mask.size();
    for (int64_t i = 0; i < wide.size(); ++i) {
      bool isJudged = mask.ints()[i / each] != 0;
      double truth = random.number(), error = random.number() * 0x1p-20;
      if (isFloat) {
        wide.mutableFloats()[i] = truth;
        // Positions with mask 0 contain NaN or random numbers, which must not change the comparison.
        narrow.mutableFloats()[i] = isJudged ? truth + error : NAN;
        actual.mutableFloats()[i] = isJudged ? truth + error * (isNear || random.below(9) ? 1 : 8) : random.number();
      } else {
        wide.mutableInts()[i] = narrow.mutableInts()[i] = int64_t(truth);
        actual.mutableInts()[i] = isJudged ? int64_t(truth) + (!isNear && !random.below(9)) : int64_t(random.number());
      }
    }
    Comparison expected = compare("y", kept(actual, mask), kept(wide, mask), kept(narrow, mask));
    for (Tensor *tensor : {&wide, &narrow, &actual})
      judged.clearOthers(*tensor);
    Comparison found = compare("y", actual, wide, narrow);
    EXPECT_EQ(found.ok, expected.ok);
    EXPECT_EQ(found.error, expected.error);
    EXPECT_EQ(found.bound, expected.bound);
    EXPECT_EQ(found.magnitude, expected.magnitude);
    EXPECT_EQ(found.narrowError, expected.narrowError);
    ++(found.ok ? right : wrong);
  }
  EXPECT_GT(right, 100u);
  EXPECT_GT(wrong, 50u);
}

TEST(JudgedPositions, AreDescribedByText) {
  Runner runner;
  JudgedPositions judged("attention_mask", runner.ints({2, 3}, 64, {1, 1, 0, 7, 0, 0}));
  EXPECT_EQ(judged.text(), "3 of 6 positions where attention_mask is 0");
}

static mlir::func::FuncOp parse(Runner &runner, llvm::StringRef text) {
  runner.module = mlir::parseSourceString<mlir::ModuleOp>(text, &runner.context);
  return runner.module->lookupSymbol<mlir::func::FuncOp>("main");
}

TEST(JudgedPositions, ComeFromAnInputOrItsDefault) {
  Runner runner;
  auto main = parse(runner, R"mlir(func.func @main(
    %x: tensor<2x3x4xf32> {heddle.name = "x"},
    %mask: tensor<2x3xi64> {heddle.name = "mask", heddle.default = 1 : i64}) -> tensor<2x3x4xf32> {
      return %x : tensor<2x3x4xf32> })mlir");
  ASSERT_TRUE(succeeded(checkMask(main, "mask"))) << runner.errors;
  Tensor x = runner.f32({2, 3, 4}, std::vector<double>(24));
  EXPECT_EQ(JudgedPositions::of(main, {x, std::nullopt}, "mask").leftOut(), 0);
  Tensor mask = runner.ints({2, 3}, 64, {0, 1, 0, 1, 1, 1});
  EXPECT_EQ(JudgedPositions::of(main, {x, mask}, "mask").leftOut(), 2);
}

TEST(JudgedPositions, RefuseInputsThatAreNoMasks) {
  Runner runner;
  auto refusal = [&](llvm::StringRef name, llvm::StringRef text) {
    runner.errors.clear();
    EXPECT_TRUE(failed(checkMask(parse(runner, text), name)));
    return runner.errors;
  };
  const char *text = R"mlir(func.func @main(
    %x: tensor<2x3x4xf32> {heddle.name = "x"}, %mask: tensor<2x3xi1> {heddle.name = "mask"},
    %heads: tensor<2x4xi1> {heddle.name = "heads"})
      -> (tensor<2x3x4xf32> {heddle.name = "y"}, tensor<2xf32> {heddle.name = "mean"}) {
      %0 = tensor.empty() : tensor<2xf32>
      return %x, %0 : tensor<2x3x4xf32>, tensor<2xf32> })mlir";
  EXPECT_EQ(refusal("none", text), "--where: the model has no input 'none'; the inputs are x, mask, heads\n");
  EXPECT_EQ(refusal("x", text), "--where x: expected an input of integers or booleans, which are 0 at positions to "
                                "exclude, found 'tensor<2x3x4xf32>'\n");
  EXPECT_EQ(refusal("mask", text),
            "--where mask: the dimensions of the input, 'tensor<2x3xi1>', are not the first dimensions of "
            "output 'mean', 'tensor<2xf32>': select other outputs with --only\n");
  EXPECT_EQ(refusal("heads", text),
            "--where heads: the dimensions of the input, 'tensor<2x4xi1>', are not the first dimensions "
            "of output 'y', 'tensor<2x3x4xf32>': select other outputs with --only\n");
}
