//===- operation_test.cpp - operations as command-line arguments ----------===//
//
// A quoted operation is a model that is given as one operation in words, such as 'softmax rows=5 d=39'. Its parameters
// (rows, d) are called knobs.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "heddle/Import.h"

#include "Notes.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

struct QuotedOperation : testing::Test {
  TestContext context;
  bool wrongUsage = false; // whether the last error in errorOf was wrong usage

  /// Imports an operation, and returns the module as a text.
  std::string import(StringRef text) {
    FailureOr<Model> model = importModel(context, text);
    EXPECT_TRUE(succeeded(model)) << context.take();
    std::string result;
    if (succeeded(model))
      llvm::raw_string_ostream(result) << **model->module;
    return result;
  }

  /// Returns the errors of an import, which must fail.
  std::string errorOf(StringRef text) {
    ImportResult result = importModel(context, text);
    EXPECT_TRUE(failed(result));
    wrongUsage = result.wrongUsage;
    return context.take();
  }
};

/// Expects that the text contains all parts.
void expectAll(const std::string &text, std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "expected " << part << "\nin " << text;
}

TEST_F(QuotedOperation, AttentionHasDefaults) {
  expectAll(import("attention hq=4 s=5 d=8"),
            {"%arg0: tensor<1x4x5x8xf32> {heddle.name = \"q\"}", "%arg1: tensor<1x4x5x8xf32> {heddle.name = \"k\"}",
             "%arg2: tensor<1x4x5x8xf32> {heddle.name = \"v\"}", "{heddle.name = \"out\"}"});
}

TEST_F(QuotedOperation, AttentionHasKnobs) {
  expectAll(import("attention b=2 hq=4 hkv=2 sq=3 skv=7 d=8 dv=6 scale=0.5 softcap=30 causal=upper_left "
                   "window=2,-1 bias=qk mask=b11k masked_score=-1e9 key_lengths=1 empty_row=nan weights=1 "
                   "softmax_precision=f64"),
            {"tensor<2x2x7x6xf32>", "bias(%arg3)", "tensor<1x1x3x7xf32>", "mask(%arg4)", "tensor<2x1x1x7xi1>",
             "key_lengths(%arg5)", "heddle.range = array<i64: 0, 7>", "upper_left", "window(2, *)", "nan",
             "tensor<2x4x3x6xf32> {heddle.name = \"out\"}", "tensor<2x4x3x7xf32> {heddle.name = \"weights\"}"});
  expectAll(import("attention hq=2 sq=3 skv=4 d=8 score=alibi probability=offset"),
            {"%arg3: tensor<2x1x1xf32> {heddle.name = \"slopes\"}", "reads(%arg3) score {", "arith.subi", "arith.addf",
             "} probability {", "arith.addf"});
  expectAll(import("attention b=2 sq=3 skv=4 d=8 score=documents probability=square type=f16"),
            {"tensor<2x1x3x1xi64> {heddle.name = \"query_documents\", heddle.range = array<i64: 0, 2>}",
             "tensor<2x1x1x4xi64>", "reads(%arg3, %arg4) score {", "arith.select", "} probability {", "arith.mulf"});
  expectAll(import("attention s=4 d=8 score=square probability=soft_threshold softmax_precision=f64"),
            {"arith.mulf %arg3, %arg3 : f64", "arith.maximumf"});
  expectAll(import("attention s=4 d=8 empty_row=nan_to_zeros"), {"empty_row(nan_to_zeros)"});
  expectAll(import("attention hq=2 sq=3 skv=4 d=8 layout=bshd"), {"tensor<1x3x2x8xf32>", "tensor<1x4x2x8xf32>"});
}

TEST_F(QuotedOperation, OtherOperationsHaveKnobs) {
  expectAll(import("linear m=4 n=6 k=8 activation=gelu bias residual=1"),
            {"heddle.linear %arg0, %arg1 bias(%arg2) residual(%arg3)", "gelu", "tensor<8x6xf32>"});
  expectAll(import("linear m=4 n=6 k=8 bias=1 weights=constant"), {"heddle.weight \"weight\"", "\"bias\""});
  expectAll(import("ffn m=4 d=8 h=16 gated=1 bias=1 activation=silu"), {"heddle.ffn", "gate(", "gate_bias("});
  expectAll(import("layer_norm rows=4 d=8 epsilon=1e-12"), {"scale(%arg1)", "bias(%arg2)"});
  expectAll(import("rms_norm rows=4 d=8 residual=1"), {"scale(%arg1)", "residual(%arg2)"});
  expectAll(import("softmax rows=4 d=8 axis=0"), {"linalg.softmax dimension(0)"});
  expectAll(import("linear_attention s=4 d=8 dv=3 normalized"), {"normalized", "tensor<1x1x4x3xf32>"});
  expectAll(import("rotary_embedding h=2 s=4 d=8 r=4"), {"tensor<1x2x4x8xf32>", "tensor<4x2xf32>"});
}

/// Random weights of a model are equal in each import, so that results of several runs can be compared.
TEST_F(QuotedOperation, ConstantWeightsAreTheSameEveryTime) {
  FailureOr<Model> first = importModel(context, "linear m=1 n=2 k=3 weights=constant");
  FailureOr<Model> second = importModel(context, "linear m=9 n=2 k=3 weights=constant");
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->weights.find("weight")->bytes, second->weights.find("weight")->bytes);
}

TEST_F(QuotedOperation, InvalidKnobsAreWrongUsage) {
  EXPECT_EQ(errorOf("softmax rows=4 d=8 colour=1"),
            "softmax has no knob 'colour'; its knobs are type, rows, m, d, axis\n");
  EXPECT_TRUE(wrongUsage);
  EXPECT_EQ(errorOf("softmax rows=4"), "softmax: d: expected a size, for example d=16\n");
  EXPECT_EQ(errorOf("softmax rows=0 d=1"),
            "softmax: rows: expected a positive size, LOW..HIGH, or classes such as 1,2..8, found '0'\n");
  EXPECT_EQ(errorOf("softmax rows=99999999999999999999 d=1"),
            "softmax: rows: expected at most 2147483648, found '99999999999999999999'\n");
  EXPECT_EQ(errorOf("linear m=2147483649 n=1 k=1"), "linear: m: expected at most 2147483648, found '2147483649'\n");
  EXPECT_EQ(errorOf("linear m=-4 n=1 k=1"),
            "linear: m: expected a positive size, LOW..HIGH, or classes such as 1,2..8, found '-4'\n");
  EXPECT_EQ(errorOf("softmax rows=4 rows=5 d=1"), "softmax: rows: this knob is given twice\n");
  EXPECT_EQ(errorOf("softmax rows=4 m=5 d=1"),
            "softmax: m: this is another name of the knob rows: give only one of them\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 causal=left"),
            "attention: causal: expected none, lower_right, upper_left, found 'left'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 empty_row=0"),
            "attention: empty_row: expected zeros, nan, nan_to_zeros, found '0'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 scale=big"), "attention: scale: expected a number, found 'big'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 weights=2"), "attention: weights: expected 0 or 1, found '2'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 window=4"),
            "attention: window: expected LEFT,RIGHT (-1: unlimited), found '4'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 mask=kq"), "attention: mask: expected 1 or the dimensions that are not "
                                                  "broadcast, such as b11k or qk, found 'kq'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 bias=bhqkk"), "attention: bias: expected 1 or the dimensions that are not "
                                                     "broadcast, such as b11k or qk, found 'bhqkk'\n");
  EXPECT_EQ(errorOf("attention s=4 d=8 type=f8"), "attention: type: expected f32, f16, bf16, f64, found 'f8'\n");
  EXPECT_EQ(errorOf("convolution n=1"),
            "neither a file nor a known operation; the operations are " + quotedOperations() + "\n");
  EXPECT_TRUE(wrongUsage);
}

TEST_F(QuotedOperation, DescriptionsListKnobsAndDefaults) {
  std::optional<std::string> text = describeOperation(context, "attention");
  ASSERT_TRUE(text);
  expectAll(*text,
            {"attention: q, k, v [, bias, mask, key_lengths] -> out [, weights]\n",
             "  hq, h                a positive size; default: 1\n",
             "  hkv                  a positive size; default: hq\n",
             "  d                    a positive size; required\n",
             "  causal               none, lower_right, upper_left; default: none\n",
             "  scale                a number; default: 1/sqrt(d)\n", "  weights              0 or 1; default: 0\n"});
  EXPECT_EQ(describeOperation(context, "softmax"), "softmax: input -> out\n"
                                                   "  type                 f32, f16, bf16, f64; default: f32\n"
                                                   "  rows, m              a positive size, LOW..HIGH, or classes such as "
                                                   "1,2..8; required\n"
                                                   "  d                    a positive size; required\n"
                                                   "  axis                 0, 1; default: 1\n");
  expectAll(*describeOperation(context, "layer_norm"),
            {"epsilon              a number, such as 1e-12, 1e-3, 0.5; default: 1e-05\n"});
  EXPECT_EQ(context.take(), ""); // describeOperation reports no errors
}

TEST_F(QuotedOperation, EveryOperationIsDescribed) {
  SmallVector<StringRef> names;
  std::string all = quotedOperations();
  StringRef(all).split(names, ", ");
  EXPECT_TRUE(llvm::is_sorted(names));
  // These operations come from source files that define one, two and three operations, respectively.
  for (StringRef known : {"attention", "ffn", "softmax"})
    EXPECT_TRUE(llvm::is_contained(names, known)) << known.str();
  for (StringRef name : names) {
    std::optional<std::string> text = describeOperation(context, name);
    ASSERT_TRUE(text) << name.str();
    // The error for an unknown knob contains the same knobs as the description.
    std::string error = errorOf((name + " colour=1").str());
    StringRef rest = StringRef(error).rtrim().split("its knobs are ").second;
    EXPECT_FALSE(rest.empty()) << error;
    while (!rest.empty()) {
      auto [knob, others] = rest.split(", ");
      EXPECT_NE(text->find(" " + knob.str()), std::string::npos) << name.str() << " " << knob.str();
      rest = others;
    }
  }
  EXPECT_FALSE(describeOperation(context, "convolution"));
  EXPECT_FALSE(describeOperation(context, "attention d=4"));
  EXPECT_FALSE(describeOperation(context, ""));
}

TEST_F(QuotedOperation, KnobDescriptionsContainNamesKindsAndValues) {
  std::vector<KnobDescription> knobs = operationKnobs(context, "linear_attention");
  auto find = [&](StringRef name) {
    auto knob = llvm::find_if(knobs, [&](const KnobDescription &knob) { return llvm::is_contained(knob.names, name); });
    return knob == knobs.end() ? KnobDescription() : *knob;
  };
  EXPECT_EQ(find("hq").names, (std::vector<std::string>{"h", "hq"}));
  EXPECT_EQ(find("hq").kind, KnobDescription::Size);
  EXPECT_EQ(find("sq").kind, KnobDescription::SizeOrRange);
  EXPECT_EQ(find("sq").fallback, "");
  EXPECT_EQ(find("skv").fallback, "sq");
  EXPECT_EQ(find("scale").values, std::vector<std::string>{"0.3"});
  EXPECT_EQ(find("normalized").kind, KnobDescription::Flag);
  EXPECT_EQ(find("feature_map").values, (std::vector<std::string>{"identity", "elu_plus_one"}));
  EXPECT_TRUE(operationKnobs(context, "convolution").empty());
  EXPECT_TRUE(operationKnobs(context, "linear_attention s=4").empty());
}

/// isVerifiable is false for an invalid operation, and for one that is so ill-conditioned that a comparison of its
/// results with the interpreter shows nothing. Tests of random operations skip these operations.
TEST_F(QuotedOperation, OnlyValidAndWellConditionedOperationsAreVerifiable) {
  EXPECT_TRUE(isVerifiable(context, "linear_attention s=4 d=8 normalized"));
  EXPECT_TRUE(isVerifiable(context, "linear_attention s=1..4 d=8 feature_map=identity"));
  for (const char *text : {"linear_attention s=4 d=8 feature_map=identity normalized", "linear_attention s=4",
                           "linear_attention s=4 d=8 colour=1", "linear_attention s=0 d=8",
                           "recurrent_attention s=4 d=8 hq=3 hkv=2", "rotary_embedding s=3 d=7", "convolution n=1"})
    EXPECT_FALSE(isVerifiable(context, text)) << text;
  EXPECT_EQ(context.take(), "");
  // The importer accepts this operation nevertheless.
  import("linear_attention s=4 d=8 feature_map=identity normalized");
}

TEST_F(QuotedOperation, RefusesTensorsThatAreTooLarge) {
  EXPECT_EQ(errorOf("softmax rows=2147483648 d=2147483648"),
            "'input' of type 'tensor<2147483648x2147483648xf32>' is too large: expected at most 32768 GiB\n");
  EXPECT_TRUE(wrongUsage);
  EXPECT_EQ(errorOf("linear m=1 n=2147483648 k=16 weights=constant"),
            "'weight' of type 'tensor<16x2147483648xf32>' is too large: expected at most 8 GiB\n");
}

TEST_F(QuotedOperation, MissingFilesAreNotWrongUsage) {
  EXPECT_EQ(errorOf("none.onnx"), "no such file, directory or operation\n");
  EXPECT_FALSE(wrongUsage);
}

TEST_F(QuotedOperation, SizesMayLieInRanges) {
  auto rangesOf = [&](StringRef text) {
    FailureOr<Model> model = importModel(context, text);
    std::string names;
    SizeRanges ranges = succeeded(model) ? *notes::sizes.get(*model->module) : SizeRanges();
    for (const SizeRange &range : ranges)
      names += range.name.str() + "=" + std::to_string(range.low) + ".." + std::to_string(range.high) + " ";
    return names;
  };
  // The sizes are in the order in which the operation reads its knobs.
  EXPECT_EQ(rangesOf("attention skv=1..5 sq=3 b=1..2 d=4"), "b=1..2 skv=1..5 ");
  EXPECT_EQ(rangesOf("attention s=2..5 d=4 key_lengths"), "s=2..5 ");
  EXPECT_EQ(rangesOf("linear rows=1..7 n=3 k=2"), "rows=1..7 ");
  EXPECT_EQ(rangesOf("softmax rows=3..3 d=2"), "rows=3..3 ");
  EXPECT_EQ(errorOf("linear m=1..7 rows=1..7 n=3 k=2"),
            "linear: rows: this is another name of the knob m: give only one of them\n");
  EXPECT_TRUE(wrongUsage);
  EXPECT_EQ(errorOf("softmax rows=1..7 d=1..2"),
            "softmax: d: expected one size, found the range '1..2': this knob cannot have a range\n");
  // The model is imported again with fixed sizes.
  FailureOr<Model> model = importModel(context, "attention b=1..2 sq=3 skv=1..5 d=4");
  ASSERT_TRUE(succeeded(model)) << context.take();
  SizeOptions sizes;
  sizes.at = {{"b", 2}, {"skv", 5}};
  FailureOr<Model> fixed = model->importAgain(sizes);
  ASSERT_TRUE(succeeded(fixed)) << context.take();
  std::string text;
  llvm::raw_string_ostream(text) << **fixed->module;
  expectAll(text, {"tensor<2x1x3x4xf32>", "tensor<2x1x5x4xf32>"});
}

} // namespace
