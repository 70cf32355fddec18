//===- attention_decompose_test.cpp - attention equals its decomposition --===//
//
// Compares the reference of heddle.attention with the upstream ops into which it is decomposed. The interpreter runs
// both with every knob and with every pair of knobs that can be used together. A knob is an optional operand, attribute
// or region of the op.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"

#include <random>

using heddle::Tensor;

namespace {
struct Knob {
  std::string text;            // the knob in the op's assembly
  std::string type;            // the type of the knob's operand; empty if it has none
  std::string group = text;    // only one knob of a group can be used at a time; by default, a group with no other knob
};

struct Decompose : testing::Test {
  Runner runner;
  std::mt19937 random{7};

  /// Returns an f32 tensor of normally distributed numbers.
  Tensor floats(llvm::ArrayRef<int64_t> shape) {
    std::vector<double> values(mlir::ShapedType::getNumElements(shape));
    std::normal_distribution<float> normal;
    for (double &value : values)
      value = normal(random);
    return runner.f32(shape, values);
  }

  /// Returns the text of the region `name`, which yields 2 x + (query - key + head - batch) * read / 4 if x > -1/4 and
  /// otherwise x. In this formula, query, key, head and batch are indices, and read is an element of the tensor in
  /// `reads`. The scores or probabilities x are f64 if `wide` is true, otherwise f32.
  static std::string region(const std::string &name, bool wide) {
    std::string type = wide ? "f64" : "f32";
    return " " + name + " {\n ^bb0(%x: " + type + ", %b: index, %h: index, %i: index, %j: index, %read: f32):\n" +
           "  %c = arith.constant -0.25 : " + type + "\n  %two = arith.constant 2.0 : " + type +
           "\n  %apart = arith.subi %i, %j : index\n  %of = arith.subi %h, %b : index" +
           "\n  %sum = arith.addi %apart, %of : index\n  %n = arith.index_cast %sum : index to i32" +
           "\n  %f = arith.sitofp %n : i32 to f32\n  %p = arith.mulf %f, %read : f32" +
           (wide ? "\n  %r = arith.extf %p : f32 to f64" : "\n  %zero = arith.constant 0.0 : f32\n"
                                                          "  %r = arith.addf %p, %zero : f32") +
           "\n  %q = arith.mulf %r, %c : " + type + "\n  %t = arith.mulf %x, %two : " + type +
           "\n  %y = arith.subf %t, %q : " + type + "\n  %above = arith.cmpf ogt, %x, %c : " + type +
           "\n  %z = arith.select %above, %y, %x : " + type + "\n  heddle.yield %z : " + type + "\n}";
  }

  /// Runs heddle.attention with `knobs`, for a query [2,4,3,8], a key [2,2,5,8] and a value [2,2,5,6], and its
  /// decomposition, and compares the results.
  void check(llvm::ArrayRef<Knob> knobs) {
    bool weights = false, queryBshd = false, keyBshd = false, valueBshd = false, resultBshd = false, wide = false;
    double tolerance = 1e-6; // the decomposition has constants that are rounded to f32
    std::string operands, attributes, regions, types, arguments;
    llvm::SmallVector<Tensor> values;
    for (const Knob &knob : knobs) {
      weights |= knob.text == "with_weights";
      queryBshd |= knob.text == "query_layout(bshd)";
      keyBshd |= knob.text == "key_layout(bshd)";
      valueBshd |= knob.text == "value_layout(bshd)";
      resultBshd |= knob.text == "result_layout(bshd)";
      wide |= knob.text == "softmax_precision(f64)";
      // The decomposition rounds to f16 by arith.truncf, which does not round when the interpreter computes in f64.
      tolerance = knob.text == "rounding(f16)" ? 1e-3 : tolerance;
    }
    auto add = [&](llvm::StringRef type, Tensor value) {
      arguments += (values.empty() ? "%a" : ", %a") + std::to_string(values.size()) + ": " + type.str();
      types += (values.empty() ? "" : ", ") + type.str();
      values.push_back(value);
    };
    auto head = [&](bool bshd, int64_t heads, int64_t positions, int64_t size) {
      llvm::SmallVector<int64_t> shape{2, bshd ? positions : heads, bshd ? heads : positions, size};
      std::string type;
      llvm::raw_string_ostream(type) << mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&runner.context));
      add(type, floats(shape));
    };
    head(queryBshd, 4, 3, 8);
    head(keyBshd, 2, 5, 8);
    head(valueBshd, 2, 5, 6);
    for (llvm::StringRef name : {"bias", "mask", "key_lengths", "reads"}) // operands in the op's order
      for (const Knob &knob : knobs) {
        if (knob.group != name)
          continue;
        operands += " " + name.str() + "(%a" + std::to_string(values.size()) + ")";
        auto type = llvm::cast<mlir::RankedTensorType>(mlir::parseType(knob.type, &runner.context));
        int64_t count = type.getNumElements();
        if (name == "reads")
          regions = region(knob.text, wide);
        if (name == "bias" || name == "reads") {
          add(knob.type, floats(type.getShape()));
          continue;
        }
        std::vector<int64_t> bits(count);
        for (auto [i, bit] : llvm::enumerate(bits)) // a mask removes all keys of the first query or the first sequence
          bit = name == "mask" ? i >= 5 && random() % 3 != 0 : int64_t(i ? 4 : 1);
        add(knob.type, runner.ints(type.getShape(), type.getElementTypeBitWidth(), bits));
      }
    for (const Knob &knob : knobs)
      if (knob.type.empty())
        attributes += " " + knob.text;
    std::string results = resultBshd ? "tensor<2x3x4x6xf32>" : "tensor<2x4x3x6xf32>";
    if (weights)
      results += ", tensor<2x4x3x5xf32>";
    std::string text = "func.func @main(" + arguments + ") -> (" + results + ") {\n  %r" +
                       (weights ? ":2" : "") + " = heddle.attention %a0, %a1, %a2" + operands + attributes + regions + " : (" +
                       types + ") -> (" + results + ")\n  return %r" + (weights ? "#0, %r#1" : "") + " : " + results +
                       "\n}";
    SCOPED_TRACE(text);
    auto expected = runner.run(text, values);
    ASSERT_TRUE(succeeded(expected)) << runner.errors;

    heddle::AttentionOp op;
    runner.module->walk([&](heddle::AttentionOp found) { op = found; });
    mlir::IRRewriter rewriter(op);
    auto replacement = op.decomposeOperation(rewriter);
    ASSERT_TRUE(succeeded(replacement)) << runner.errors;
    rewriter.replaceOp(op, *replacement);
    ASSERT_TRUE(succeeded(mlir::verify(*runner.module))) << runner.errors;
    auto actual =
        heddle::interpret(runner.module->lookupSymbol<mlir::func::FuncOp>("main"), values, runner.options);
    ASSERT_TRUE(succeeded(actual)) << runner.errors;
    for (auto [one, other] : llvm::zip_equal(*actual, *expected))
      expectNear(one.floats(), other.floats(), tolerance);
  }
};
} // namespace

/// Returns all knobs. Knobs with an operand occur with shapes that are broadcast differently.
static const std::vector<Knob> &knobs() {
  static const std::vector<Knob> all = {
      {"scale(0.3)", ""},
      {"softcap(2.0)", ""},
      {"causal(lower_right)", "", "causal"},
      {"causal(upper_left)", "", "causal"},
      {"window(1, 2)", "", "window"},
      {"window(*, 0)", "", "window"},
      {"window(0, *)", "", "window"},
      {"masked_score(-1.0e9)", ""},
      {"empty_row(nan)", "", "empty_row"},
      {"empty_row(nan_to_zeros)", "", "empty_row"},
      {"softmax_precision(f64)", ""},
      {"rounding(bf16)", "", "rounding"},
      {"rounding(f16)", "", "rounding"},
      {"query_layout(bshd)", ""},
      {"key_layout(bshd)", ""},
      {"value_layout(bshd)", ""},
      {"result_layout(bshd)", ""},
      {"with_weights", ""},
      {"bias", "tensor<2x4x3x5xf32>", "bias"},
      {"bias", "tensor<1x3x1xf32>", "bias"},
      {"mask", "tensor<3x5xi1>", "mask"},
      {"mask", "tensor<2x1x1x5xi1>", "mask"},
      {"key_lengths", "tensor<2xi64>", "key_lengths"},
      {"score", "tensor<4x1x1xf32>", "reads"},
      {"probability", "tensor<3x5xf32>", "reads"},
      {"score", "tensor<2x1x1x5xf32>", "reads"},
  };
  return all;
}

/// Returns whether both knobs can be used together: they are of different groups, and constraint C14 on `rounding`
/// allows them.
static bool goTogether(const Knob &one, const Knob &other) {
  auto excluded = [](const Knob &knob) {
    return knob.text == "with_weights" || knob.text == "probability" || knob.text == "softmax_precision(f64)";
  };
  bool rounds = one.group == "rounding" || other.group == "rounding";
  return (one.group.empty() || one.group != other.group) && !(rounds && (excluded(one) || excluded(other)));
}

TEST_F(Decompose, NoKnob) { check({}); }

TEST_F(Decompose, EveryKnobAndPair) {
  for (size_t i = 0; i < knobs().size(); ++i) {
    check({knobs()[i]});
    for (size_t j = 0; j < i; ++j)
      if (goTogether(knobs()[i], knobs()[j]))
        check({knobs()[j], knobs()[i]});
  }
}

TEST_F(Decompose, RowsThatAreFullyMaskedFollowEmptyRow) {
  Knob mask{"mask", "tensor<3x5xi1>", "mask"};
  check({mask, {"empty_row(nan)", ""}, {"with_weights", ""}});
  check({mask, {"empty_row(nan_to_zeros)", ""}, {"with_weights", ""}});
  check({mask, {"with_weights", ""}, {"masked_score(-1.0e9)", ""}, {"causal(lower_right)", ""}});
}

TEST_F(Decompose, UnknownNumbersOfHeadsAreRefused) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
    func.func @main(%q: tensor<1x?x3x8xf32>) -> tensor<1x?x3x8xf32> {
      %0 = heddle.attention %q, %q, %q : (tensor<1x?x3x8xf32>, tensor<1x?x3x8xf32>, tensor<1x?x3x8xf32>) -> tensor<1x?x3x8xf32>
      return %0 : tensor<1x?x3x8xf32>
    })mlir", &runner.context);
  ASSERT_TRUE(module);
  module->walk([&](heddle::AttentionOp op) {
    mlir::OpBuilder builder(op);
    EXPECT_TRUE(failed(op.decomposeOperation(builder)));
  });
  EXPECT_EQ(runner.errors, "'heddle.attention' op can be decomposed only if the numbers of heads are known, and the "
                           "scale or the head size\n");
}
