//===- product_test.cpp - heddle.tile_product before and after vectorizing ===//
//
// Interprets random heddle.tile_product operations, and the vector operations to which the vectorizer lowers them, for
// every kind of product. The results must be equal. A kind, an attribute of the operation, determines the element types
// and how many products (`depth`) a step adds to each sum. Only this file defines the kind `unit`. Its accumulators
// have 16 bits, fewer than its sums, and are widened after the last step.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "heddle/Kinds.h"
#include "kinds/ProductCode.h"
#include "vectorize/Vectorizer.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// The kind `unit`: products of signed bytes. A step adds four products to each sum.
struct NarrowSums : ProductKind::ExternalModel<NarrowSums, UnitAttr> {
  Type getRowsElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 8); }
  Type getWeightElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 8); }
  Type getSumElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 32); }
  int64_t getDepth(Attribute) const { return 4; }
  UnsignedSide getUnsignedSide(Attribute) const { return UnsignedSide::None; }
  int64_t getMaxSteps(Attribute) const { return 12; }
};

/// A kind that has no code.
struct WithoutCode : ProductKind::ExternalModel<WithoutCode, StringAttr> {
  Type getRowsElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 8); }
  Type getWeightElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 8); }
  Type getSumElement(Attribute kind) const { return IntegerType::get(kind.getContext(), 32); }
  int64_t getDepth(Attribute) const { return 4; }
  UnsignedSide getUnsignedSide(Attribute) const { return UnsignedSide::None; }
  int64_t getMaxSteps(Attribute) const { return 1; }
};

/// Each column has two accumulators of 16 bits, for the first two and the last two products of each step.
struct NarrowSumsCode : ProductCode::ExternalModel<NarrowSumsCode, UnitAttr> {
  static VectorType vectorOf(OpBuilder &b, Value like, int64_t factor, int64_t divisor, unsigned bits) {
    int64_t lanes = cast<VectorType>(like.getType()).getNumElements() * factor / divisor;
    return VectorType::get({lanes}, b.getIntegerType(bits));
  }
  /// Adds each even lane and the odd lane after it. The result has half as many lanes.
  static Value addPairs(ImplicitLocOpBuilder &b, Value vector) {
    int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
    SmallVector<int64_t> even, odd;
    for (int64_t i = 0; i < lanes; i += 2) {
      even.push_back(i);
      odd.push_back(i + 1);
    }
    return arith::AddIOp::create(b, vector::ShuffleOp::create(b, vector, vector, even),
                                 vector::ShuffleOp::create(b, vector, vector, odd));
  }
  Value emitStart(Attribute, ImplicitLocOpBuilder &b, Value sums) const {
    return arith::ConstantOp::create(b, b.getZeroAttr(vectorOf(b, sums, 2, 1, 16)));
  }
  Value emitStep(Attribute, ImplicitLocOpBuilder &b, Value rows, Value weight, Value accumulators) const {
    auto wide = [&](Value bytes) -> Value { return arith::ExtSIOp::create(b, vectorOf(b, bytes, 1, 1, 16), bytes); };
    return arith::AddIOp::create(b, accumulators, addPairs(b, arith::MulIOp::create(b, wide(rows), wide(weight))));
  }
  Value emitSums(Attribute, ImplicitLocOpBuilder &b, Value accumulators, Value start) const {
    Value sums = addPairs(b, arith::ExtSIOp::create(b, vectorOf(b, accumulators, 1, 1, 32), accumulators));
    return arith::AddIOp::create(b, sums, start);
  }
};

struct Products : testing::Test {
  Runner runner;
  std::mt19937 random{7};

  Products() {
    DialectRegistry registry;
    registerProductCode(registry);
    runner.context.appendDialectRegistry(registry);
    UnitAttr::attachInterface<NarrowSums, NarrowSumsCode>(runner.context);
  }
  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

  Tensor tensor(ArrayRef<int64_t> shape, Type element, int64_t low, int64_t high) {
    int64_t count = ShapedType::getNumElements(shape);
    if (auto integer = dyn_cast<IntegerType>(element)) {
      std::vector<int64_t> elements(count);
      for (int64_t &x : elements)
        x = number(low, high);
      return Tensor(shape, element, elements);
    }
    std::vector<double> elements(count);
    for (double &x : elements)
      x = number(low, high) / 4.0; // exact in bf16; sums of their products are exact in f64, in any order
    return Tensor(shape, element, elements);
  }

  /// Interprets `text`, vectorises the module, and interprets it again. Returns both results.
  std::pair<Tensor, Tensor> bothWays(StringRef text, ArrayRef<Tensor> arguments, const VectorOptions &options) {
    auto before = runner.run(text, arguments);
    EXPECT_TRUE(succeeded(before)) << runner.errors << text.str();
    if (failed(before))
      return {arguments.back(), arguments.back()};
    IRRewriter rewriter(&runner.context);
    auto main = runner.module->lookupSymbol<func::FuncOp>("main");
    EXPECT_TRUE(succeeded(vectorizeAll(rewriter, main, options))) << runner.errors << text.str();
    main.walk([&](TileProductOp op) { ADD_FAILURE() << "a heddle.tile_product is left: " << text.str(); });
    auto after = interpret(main, arguments, runner.options);
    EXPECT_TRUE(succeeded(after)) << runner.errors << text.str();
    return {(*before)[0], succeeded(after) ? (*after)[0] : arguments.back()};
  }
};

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

TEST_F(Products, AreEqualAtRandomShapes) {
  const char *kinds[] = {
      "#heddle.dot_bytes",
      "#heddle.dot_bytes<unsigned = rows>",
      "#heddle.dot_bytes<unsigned = weight>",
      "#heddle.dot_words",
      "#heddle.dot_bf16",
      "unit",
      "#heddle.dot_nibbles<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]>",
      "#heddle.dot_nibbles<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] unsigned = rows>",
      "#heddle.dot_nibbles<[-127, 0, 5, -1, 127, 9, 9, 0, -5, 3, 77, -128, 2, 1, 0, 31] unsigned = rows>",
      "#heddle.dot_nibbles<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7] unsigned = rows sum_bits = 16>",
      "#heddle.dot_nibbles<[15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0] unsigned = rows sum_bits = 16>",
      "#heddle.dot_nibbles<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7] sum_bits = 16>"};
  llvm::DenseSet<TypeID> tested;
  for (int trial = 0; trial < 480; ++trial) {
    const char *name = kinds[trial % std::size(kinds)];
    auto kind = cast<ProductKind>(parseAttribute(name, &runner.context));
    tested.insert(kind.getTypeID());
    VectorOptions options;
    options.lanes = int64_t(4) << number(0, 2);
    options.registers = int64_t(4) << number(0, 3);
    options.equalSums = number(0, 1);
    int64_t m = number(1, 13), n = number(1, 40), depth = kind.getDepth(), shared = kind.getStepsPerElement();
    int64_t lines = number(1, std::min<int64_t>(kind.getMaxSteps(), 12) / shared), steps = lines * shared;
    SmallVector<int64_t> weight = {lines, (n + number(0, 5)) * depth};
    if (number(0, 1)) {
      // If there are several panels, the number of lanes divides their width. There may be one more panel than the
      // columns need; the product does not read this panel.
      int64_t panel = options.lanes * number(1, 2), panels = llvm::divideCeilSigned(n, panel) + number(0, 1);
      weight = {panels, lines, (panels == 1 ? n + number(0, 5) : panel) * depth};
    }
    bool bytes = kind.getRowsElement().isInteger(8), sumsWrap = kind.getSumElement().isInteger(32);
    int64_t largest = bytes || !sumsWrap ? 127 : 32767, start = sumsWrap ? INT32_MAX : 1000;
    SmallVector<Tensor> arguments = {tensor({m, steps, depth}, kind.getRowsElement(), -largest - 1, largest),
                                     tensor(weight, kind.getWeightElement(), -128, 127),
                                     tensor({m, n}, kind.getSumElement(), -start, start),
                                     tensor({steps}, IntegerType::get(&runner.context, 8), 0, 0)};
    if (isa<UnitAttr>(Attribute(kind)))
      for (Tensor *side : {&arguments[0], &arguments[1]})
        for (int64_t &x : side->mutableInts())
          x /= 4; // 12 steps of two products of at most 32 x 32 fit into 16 bits
    std::string types = textOf(arguments[0].tensorType()) + ", " + textOf(arguments[1].tensorType()) + ", " +
                        textOf(arguments[2].tensorType());
    std::string prefetch = number(0, 1) ? " prefetch(%p : " + textOf(arguments[3].tensorType()) + ") every [" +
                                              std::to_string(number(1, 3)) + "] locality 2"
                                        : "";
    // The second product reads the sums of the first product from registers if one register tile contains all of them.
    std::string text = "func.func @main(%a: " + textOf(arguments[0].tensorType()) +
                       ", %w: " + textOf(arguments[1].tensorType()) + ", %s: " + textOf(arguments[2].tensorType()) +
                       ", %p: " + textOf(arguments[3].tensorType()) + ") -> " + textOf(arguments[2].tensorType()) +
                       " {\n";
    text +=
        "  %0 = heddle.tile_product %a, %w into %s" + std::string(number(0, 1) ? " from_zero" : "") + " kind(" +
        std::string(name) + ")" + prefetch + " : " + types + "\n";
    text += "  %1 = heddle.tile_product %a, %w into %0 kind(" + std::string(name) + ") : " + types + "\n";
    text += "  return %1 : " + textOf(arguments[2].tensorType()) + "\n}\n";
    auto [before, after] = bothWays(text, arguments, options);
    if (before.isFloat())
      EXPECT_EQ(before.floats().vec(), after.floats().vec()) << text << "lanes " << options.lanes;
    else
      EXPECT_EQ(before.ints().vec(), after.ints().vec()) << text << "lanes " << options.lanes;
    if (HasFailure())
      return;
  }
  // Every kind that has vector code was tested, and so was the kind `unit` of this file.
  size_t kindsWithCode = 0;
#define HEDDLE_KIND(Stem)                                                                                              \
  kindsWithCode += AbstractAttribute::lookup(TypeID::get<heddle::Stem##Attr>(), &runner.context)                       \
                       .hasInterface(ProductCode::getInterfaceID());
#include "Kinds.inc"
#undef HEDDLE_KIND
  EXPECT_EQ(tested.size(), kindsWithCode + 1);
}

/// The reference is compared with sums that this test computes.
TEST_F(Products, HaveTheMeaningOfTheirDescription) {
  std::string text =
      R"(func.func @main(%a: tensor<1x2x4xi8>, %w: tensor<2x2x4xi8>, %s: tensor<1x2xi32>) -> tensor<1x2xi32> {
    %0 = heddle.tile_product %a, %w into %s kind(#heddle.dot_bytes<unsigned = UNSIGNED>)
      : tensor<1x2x4xi8>, tensor<2x2x4xi8>, tensor<1x2xi32>
    return %0 : tensor<1x2xi32>
  })";
  // The weight has two panels of one column each. -1 is 255 as an unsigned byte.
  SmallVector<Tensor> arguments = {runner.ints({1, 2, 4}, 8, {-1, 2, 3, 4, 5, 6, 7, -1}),
                                   runner.ints({2, 2, 4}, 8, {1, 1, 1, 1, 1, 1, 1, -1, 2, 0, 0, 0, 0, 0, 0, -3}),
                                   runner.ints({1, 2}, 32, {100, -7})};
  auto with = [&](std::string side) {
    std::string module = text;
    module.replace(module.find("UNSIGNED"), 8, side);
    return runner.integers(module, arguments);
  };
  EXPECT_EQ(with("none"), (std::vector<int64_t>{100 + (-1 + 2 + 3 + 4) + (5 + 6 + 7 + 1), -7 - 2 + 3}));
  EXPECT_EQ(with("rows"), (std::vector<int64_t>{100 + (255 + 2 + 3 + 4) + (5 + 6 + 7 - 255), -7 + 510 - 765}));
  EXPECT_EQ(with("weight"), (std::vector<int64_t>{100 + 8 + (18 - 255), -7 - 2 - 253}));
}

/// The sums may be a slice of a larger tensor without its last dimension, so they are not contiguous. The first product
/// has two users, and the last one has none.
TEST_F(Products, StartFromSlices) {
  std::string text =
      R"(func.func @main(%a: tensor<3x5x4xi8>, %w: tensor<5x48xi8>, %s: tensor<3x12x2xi32>) -> tensor<3x12xi32> {
    %slice = tensor.extract_slice %s[0, 0, 1] [3, 12, 1] [1, 1, 1] : tensor<3x12x2xi32> to tensor<3x12xi32>
    %0 = heddle.tile_product %a, %w into %slice kind(#heddle.dot_bytes) : tensor<3x5x4xi8>, tensor<5x48xi8>, tensor<3x12xi32>
    %1 = heddle.tile_product %a, %w into %0 kind(#heddle.dot_bytes) : tensor<3x5x4xi8>, tensor<5x48xi8>, tensor<3x12xi32>
    %unused = heddle.tile_product %a, %w into %1 kind(#heddle.dot_bytes) : tensor<3x5x4xi8>, tensor<5x48xi8>, tensor<3x12xi32>
    %sum = linalg.add ins(%0, %1 : tensor<3x12xi32>, tensor<3x12xi32>) outs(%1 : tensor<3x12xi32>) -> tensor<3x12xi32>
    return %sum : tensor<3x12xi32>
  })";
  Type byte = IntegerType::get(&runner.context, 8);
  SmallVector<Tensor> arguments = {tensor({3, 5, 4}, byte, -128, 127), tensor({5, 48}, byte, -128, 127),
                                   tensor({3, 12, 2}, IntegerType::get(&runner.context, 32), -1000, 1000)};
  for (int64_t lanes : {4, 8, 16}) {
    VectorOptions options;
    options.lanes = lanes;
    options.registers = 16;
    auto [before, after] = bothWays(text, arguments, options);
    EXPECT_EQ(before.ints().vec(), after.ints().vec()) << "lanes " << lanes;
  }
}

/// A kind without code cannot be vectorised.
TEST_F(Products, NeedTheCodeOfTheirKind) {
  StringAttr::attachInterface<WithoutCode>(runner.context);
  std::string text =
      R"(func.func @main(%a: tensor<1x1x4xi8>, %w: tensor<1x4xi8>, %s: tensor<1x1xi32>) -> tensor<1x1xi32> {
    %0 = heddle.tile_product %a, %w into %s kind("x") : tensor<1x1x4xi8>, tensor<1x4xi8>, tensor<1x1xi32>
    return %0 : tensor<1x1xi32>
  })";
  runner.module = parseSourceString<ModuleOp>(text, &runner.context);
  ASSERT_TRUE(runner.module) << runner.errors;
  IRRewriter rewriter(&runner.context);
  VectorOptions options;
  options.lanes = options.registers = 16;
  EXPECT_TRUE(failed(vectorizeAll(rewriter, *runner.module, options)));
  EXPECT_NE(runner.errors.find("there is no vector code for \"x\""), std::string::npos) << runner.errors;
}

/// A product of so many steps that the accumulators of its kind could overflow is refused.
TEST_F(Products, HaveAtMostTheStepsOfTheirKind) {
  std::string text =
      R"(func.func @main(%a: tensor<1x13x4xi8>, %w: tensor<13x4xi8>, %s: tensor<1x1xi32>) -> tensor<1x1xi32> {
    %0 = heddle.tile_product %a, %w into %s kind(unit) : tensor<1x13x4xi8>, tensor<13x4xi8>, tensor<1x1xi32>
    return %0 : tensor<1x1xi32>
  })";
  EXPECT_TRUE(failed(runner.run(text)));
  EXPECT_NE(runner.errors.find("the sums of unit overflow after 12 steps, found 13 (C2)"), std::string::npos)
      << runner.errors;
}

} // namespace
