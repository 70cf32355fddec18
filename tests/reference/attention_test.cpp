//===- attention_test.cpp - options of heddle.attention -------------------===//
//
// Tests the interpreter's result for each attribute and optional operand of heddle.attention, and for combinations in
// which the order of the steps matters. Expected values were computed with NumPy, in f64, by the formula in the
// description of heddle.attention.
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

using heddle::Tensor;
using Floats = std::vector<double>;

namespace {
struct Attention : testing::Test {
  Runner runner;
  // There are two heads, three queries and four keys with 2 elements, and values with 3 elements.
  Tensor query = pattern(runner, {1, 2, 3, 2}, 7), key = pattern(runner, {1, 2, 4, 2}, 5, 1);
  Tensor value = pattern(runner, {1, 2, 4, 3}, 3, 2);
  Tensor mask = runner.ints({3, 4}, 1, {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1});

  /// Returns the result of heddle.attention with these attributes. `operands` is the text of its optional operands, and
  /// `further` contains their values.
  Floats result(std::string attributes, std::string operands = "", llvm::ArrayRef<Tensor> further = {}) {
    llvm::SmallVector<Tensor> all = {query, key, value};
    llvm::append_range(all, further);
    return runOp(runner, "heddle.attention %a0, %a1, %a2 " + operands + " {" + attributes + "}", all, {{1, 2, 3, 3}});
  }
  /// Returns the second result of heddle.attention, the probabilities. The probability of a removed key is 0.
  Floats probabilities(std::string attributes, std::string operands = "", llvm::ArrayRef<Tensor> further = {}) {
    llvm::SmallVector<Tensor> all = {query, key, value};
    llvm::append_range(all, further);
    return runOp(runner, "heddle.attention %a0, %a1, %a2 " + operands + " {with_weights, " + attributes + "}", all,
                 {{1, 2, 3, 3}, {1, 2, 3, 4}}, 1);
  }
  /// Returns the operand key_lengths: the number of valid keys of each batch entry.
  Tensor lengths(std::vector<int64_t> values) {
    return runner.ints({int64_t(values.size())}, 64, values);
  }
};
} // namespace

TEST_F(Attention, Plain) {
  Floats expected = {-0.5899071, -0.1695887,  0.2916661,  0.1438088,  0.02650145, -0.1709557,
                     0.4758616,  -0.01712991, -0.3087157, 0.5618493,  -0.3657951, 0.04242887,
                     -0.5020588, 0.1202583,   0.2151931,  -0.3040716, 0.1380409,  0.07400341};
  expectNear(result(""), expected);
  runner.options.precision = heddle::Precision::F32;
  Floats narrow = result("");
  expectNear(narrow, expected);
  for (double x : narrow)
    EXPECT_EQ(x, double(float(x)));
}

TEST_F(Attention, ProbabilitiesResult) {
  expectNear(probabilities("scale = 0.70710678118654752"),
             {0.413213,  0.3619046, 0.1198842, 0.1049983, 0.1625328, 0.1775528, 0.3153845,  0.3445299,
              0.09208252, 0.0771621, 0.4519969, 0.3787585, 0.1242822, 0.1298979, 0.1357674, 0.6100525,
              0.2382055, 0.3105357, 0.4048286, 0.04643016, 0.2960136, 0.2960136, 0.2960136, 0.1119591});
}

TEST_F(Attention, Scale) {
  expectNear(result("scale = 2.0"),
             {-0.9023703, -0.2001443, 0.5170211, 0.4862243, 0.1923006, -0.398124, 0.7920025, -0.1509536, -0.4277834,
              1.184477, -0.7149469, 0.005620646, -0.7265479, 0.01990867, 0.4084705, -0.4634868, 0.2291353, 0.08159461});
}

TEST_F(Attention, SoftcapComesAfterTheScale) {
  expectNear(result("scale = 2.0, softcap = 0.5"),
             {-0.5273378, -0.1484112, 0.2306747, 0.2539376, 0.02219083, -0.220706, 0.2792577, 0.02400942, -0.2309475,
              0.3316252, -0.2252209, 0.04373825, -0.3090621, 0.1403175, 0.0751677, -0.3072781, 0.1398732, 0.0741561});
}

TEST_F(Attention, BiasIsBroadcastOverBatchAndHeads) {
  expectNear(result("", "bias(%a3)", {pattern(runner, {3, 4}, 5, 2)}),
             {-0.8042179, -0.1791501, 0.1889386, 0.6139029, -0.5361255, -0.2492576, 0.5583809, -0.5280468, -0.1214141,
              0.7432368, -0.4541981, 0.1498498, -0.8332135, -0.1376136, 0.5097135, -0.3908818, 0.271703, -0.3083053});
}

TEST_F(Attention, BiasComesAfterTheSoftcap) {
  expectNear(result("softcap = 0.5", "bias(%a3)", {pattern(runner, {2, 1, 4}, 5, 2)}),
             {-0.6878388, -0.09733827, 0.1102622, -0.1315913, 0.2777812, -0.2217697, 0.01976046, 0.356495, -0.2968314,
              -0.2381458, -0.2765018, 0.3567901, -0.7191172, -0.1302067, 0.4767681, -0.6858386, -0.1330036, 0.463883});
}

TEST_F(Attention, MaskRemovesKeysAndEmptyRowsAreZeros) {
  Floats expected = {-0.2155264, 0.01780866, 0.3152976, 0, 0, 0, 0.0435485, 0.7935485, -0.3571448,
                     0.7203732, -0.4577274, -0.1005273, 0, 0, 0, -0.01144615, 0.3012051, -0.1051205};
  expectNear(result("", "mask(%a3)", {mask}), expected);
  for (int64_t i : {3, 4, 5, 12, 13, 14})
    expected[i] = NAN;
  expectNear(result("empty_row = #heddle.empty_row<nan>", "mask(%a3)", {mask}), expected);
}

TEST_F(Attention, FiniteMaskedScoreIsTheScore) {
  expectNear(result("masked_score = 0.5", "mask(%a3)", {mask}),
             {-0.6038848, -0.1765853, 0.2907838, -0.125, -0.0625, 0, 0.3876232, 0.1483358, -0.3186004,
              0.2647772, -0.193515, 0.3103272, -0.0625, 0, 0.0625, -0.2978623, 0.1415031, 0.07020257});
  // A query whose keys are all masked attends equally to all keys, independent of empty_row.
  expectNear(result("masked_score = -1.0e9, empty_row = #heddle.empty_row<nan>", "mask(%a3)", {mask}),
             {-0.2155264, 0.01780866, 0.3152976, -0.125, -0.0625, 0, 0.0435485, 0.7935485, -0.3571448,
              0.7203732, -0.4577274, -0.1005273, -0.0625, 0, 0.0625, -0.01144615, 0.3012051, -0.1051205});
}

TEST_F(Attention, CausalLowerRightCountsFromTheEnd) {
  expectNear(probabilities("causal = #heddle.causal<lower_right>"),
             {0.5330972, 0.4669028, 0, 0, 0.2479637, 0.2708786, 0.4811577, 0, 0.09208252, 0.0771621, 0.4519969, 0.3787585,
              0.4889533, 0.5110467, 0, 0, 0.2498039, 0.3256559, 0.4245401, 0, 0.2960136, 0.2960136, 0.2960136, 0.1119591});
}

TEST_F(Attention, CausalUpperLeftCountsFromTheStart) {
  expectNear(probabilities("causal = #heddle.causal<upper_left>"),
             {1, 0, 0, 0, 0.4779173, 0.5220827, 0, 0, 0.1482234, 0.1242063, 0.7275703, 0,
              1, 0, 0, 0, 0.4340945, 0.5659055, 0, 0, 0.3333333, 0.3333333, 0.3333333, 0});
}

TEST_F(Attention, WindowAlignsLowerRight) {
  expectNear(probabilities("window = array<i64: 1, 0>"),
             {0.5330972, 0.4669028, 0, 0, 0, 0.3601935, 0.6398065, 0, 0, 0, 0.5440794, 0.4559206,
              0.4889533, 0.5110467, 0, 0, 0, 0.4340945, 0.5659055, 0, 0, 0, 0.7255721, 0.2744279});
  expectNear(probabilities("window = array<i64: -1, 1>"),
             {0.4616896, 0.4043619, 0.1339486, 0, 0.1625328, 0.1775528, 0.3153845, 0.3445299,
              0.09208252, 0.0771621, 0.4519969, 0.3787585, 0.3187152, 0.3331164, 0.3481684, 0,
              0.2382055, 0.3105357, 0.4048286, 0.04643016, 0.2960136, 0.2960136, 0.2960136, 0.1119591});
}

/// The largest int64 as a bound of a window must not overflow. It has no effect, like -1, which means no bound.
TEST_F(Attention, WindowBeyondAnyPosition) {
  std::string far = "9223372036854775807";
  expectNear(probabilities("window = array<i64: 1, " + far + ">"), probabilities("window = array<i64: 1, -1>"));
  expectNear(probabilities("window = array<i64: " + far + ", 1>"), probabilities("window = array<i64: -1, 1>"));
}

TEST_F(Attention, WindowWithUpperLeftCausal) {
  expectNear(probabilities("causal = #heddle.causal<upper_left>, window = array<i64: 0, 5>"),
             {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
}

TEST_F(Attention, KeyLengths) {
  expectNear(result("", "key_lengths(%a3)", {lengths({2})}),
             {-0.9834514, -0.2334514, 0.5165486, -1.011041, -0.2610414, 0.4889586, -0.9779603, -0.2279603, 0.5220397,
              -0.2555234, 0.4944766, -0.1001448, -0.2829528, 0.4670472, 0.02328748, -0.25, 0.5, -0.125});
  expectNear(result("", "key_lengths(%a3)", {lengths({0})}), Floats(18, 0));
}

TEST_F(Attention, LowerRightAndWindowCountFromTheEndOfTheValidKeys) {
  expectNear(probabilities("causal = #heddle.causal<lower_right>", "key_lengths(%a3)", {lengths({2})}),
             {0, 0, 0, 0, 1, 0, 0, 0, 0.5440794, 0.4559206, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0});
  expectNear(probabilities("window = array<i64: 1, 0>", "key_lengths(%a3)", {lengths({3})}),
             {1, 0, 0, 0, 0.4779173, 0.5220827, 0, 0, 0, 0.1458202, 0.8541798, 0,
              1, 0, 0, 0, 0.4340945, 0.5659055, 0, 0, 0, 0.5, 0.5, 0});
}

TEST_F(Attention, KeyLengthsDoNotMoveUpperLeftPositions) {
  expectNear(probabilities("causal = #heddle.causal<upper_left>", "key_lengths(%a3)", {lengths({2})}),
             {1, 0, 0, 0, 0.4779173, 0.5220827, 0, 0, 0.5440794, 0.4559206, 0, 0,
              1, 0, 0, 0, 0.4340945, 0.5659055, 0, 0, 0.5, 0.5, 0, 0});
}

TEST_F(Attention, KeyLengthsPerBatchEntry) {
  expectNear(runOp(runner, "heddle.attention %a0, %a1, %a2 key_lengths(%a3)",
                   {pattern(runner, {2, 1, 1, 2}, 7), pattern(runner, {2, 1, 3, 2}, 5, 1),
                    pattern(runner, {2, 1, 3, 2}, 3, 2), lengths({3, 1})},
                   {{2, 1, 1, 2}}),
             {-0.10997, -0.4719652, 1, -1});
}

TEST_F(Attention, MoreQueriesThanKeysLeaveEmptyRows) {
  expectNear(runOp(runner, "heddle.attention %a0, %a1, %a2 {causal = #heddle.causal<lower_right>}",
                   {pattern(runner, {1, 1, 3, 2}, 7), pattern(runner, {1, 1, 2, 2}, 5, 1),
                    pattern(runner, {1, 1, 2, 1}, 3, 2)},
                   {{1, 1, 3, 1}}),
             {0, -0.75, -0.4080596});
}

TEST_F(Attention, ConsecutiveQueryHeadsShareAKeyHead) {
  expectNear(runOp(runner, "heddle.attention %a0, %a1, %a2", {pattern(runner, {1, 4, 1, 2}, 7), key, value}, {{1, 4, 1, 3}}),
             {-0.5899071, -0.1695887, 0.2916661, 0.1438088, 0.02650145, -0.1709557,
              -0.1232701, 0.1095187, -0.01947821, 0.5618493, -0.3657951, 0.04242887});
}

TEST_F(Attention, Layouts) {
  expectNear(runOp(runner,
                   "heddle.attention %a0, %a1, %a2 {query_layout = #heddle.layout<bshd>, "
                   "result_layout = #heddle.layout<bshd>}",
                   {pattern(runner, {1, 3, 2, 2}, 7), key, value}, {{1, 3, 2, 3}}),
             {-0.5899071, -0.1695887, 0.2916661, -0.3790806, 0.1385714, 0.1223441, 0.4758616, -0.01712991, -0.3087157,
              0.5618493, -0.3657951, 0.04242887, -0.138621, 0.001311998, -0.04399952, -0.3040716, 0.1380409, 0.07400341});
  expectNear(runOp(runner,
                   "heddle.attention %a0, %a1, %a2 {key_layout = #heddle.layout<bshd>, "
                   "value_layout = #heddle.layout<bshd>}",
                   {query, pattern(runner, {1, 4, 2, 2}, 5, 1), pattern(runner, {1, 4, 2, 3}, 3, 2)}, {{1, 2, 3, 3}}),
             {-0.3745932, -0.09854667, 0.2878934, -0.196144, -0.1115473, -0.1556161, 0.1476204, -0.2486997, -0.3036324,
              -0.1198114, -0.4055412, 0.142578, -0.3140576, 0.2572428, 0.3039833, 0, 0.3726616, 0.125});
}

TEST_F(Attention, ANanInARowStaysInThatRow) {
  query.mutableFloats()[0] = NAN;
  Floats rows = result("", "mask(%a3)", {mask});
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_EQ(std::isnan(rows[i]), i < 3) << i;
  // A NaN in a key affects only the queries for which the key is not removed.
  query.mutableFloats()[0] = 1;
  key.mutableFloats()[2] = NAN; // in key 1 of head 0, which the mask removes for queries 0 and 1
  rows = result("", "mask(%a3)", {mask});
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_EQ(std::isnan(rows[i]), i >= 6 && i < 9) << i;
}

TEST_F(Attention, ARemovedKeyContributesNothing) {
  Floats clean = result("", "mask(%a3)", {mask});
  value.mutableFloats()[4] = INFINITY; // in the value of key 1 of head 0, which the mask removes for queries 0 and 1
  value.mutableFloats()[5] = NAN;
  Floats rows = result("", "mask(%a3)", {mask});
  for (int64_t i = 0; i < 18; ++i)
    if (i == 7 || i == 8)
      EXPECT_FALSE(std::isfinite(rows[i])) << i;
    else
      EXPECT_EQ(rows[i], clean[i]) << i;
  // A bias of -inf removes keys like the mask.
  Tensor bias = runner.f32({3, 4}, std::vector<double>(12, 0));
  for (int64_t i = 0; i < 12; ++i)
    bias.mutableFloats()[i] = mask.ints()[i] ? 0 : -INFINITY;
  Floats biased = result("", "bias(%a3)", {bias});
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_TRUE(biased[i] == rows[i] || (std::isnan(biased[i]) && std::isnan(rows[i]))) << i;
  // Query 1, whose keys are all removed, still has the result that empty_row requires.
  Floats empty = result("empty_row = #heddle.empty_row<nan>", "mask(%a3)", {mask});
  for (int64_t i : {3, 4, 5})
    EXPECT_TRUE(std::isnan(empty[i])) << i;
  // A finite masked_score removes nothing: 0 x NaN is NaN.
  EXPECT_TRUE(std::isnan(result("masked_score = -1.0e9", "mask(%a3)", {mask})[2]));
}

TEST_F(Attention, NanToZerosReplacesNanOfAnyCause) {
  const char *guarded = "empty_row = #heddle.empty_row<nan_to_zeros>";
  Floats clean = result("", "mask(%a3)", {mask});
  Floats cleanProbabilities = probabilities("empty_row = #heddle.empty_row<zeros>", "mask(%a3)", {mask});
  EXPECT_EQ(result(guarded, "mask(%a3)", {mask}), clean); // the result of a query without keys is zeros
  query.mutableFloats()[0] = NAN;       // query 0 of head 0, whose scores become NaN
  query.mutableFloats()[10] = INFINITY; // query 2 of head 1, which gets a score of +inf
  value.mutableFloats()[6] = INFINITY;  // the value of key 2 of head 0, which the mask does not remove for query 0
  value.mutableFloats()[7] = NAN;
  for (int64_t i : {0, 1, 2, 15, 16, 17})
    clean[i] = 0;
  for (int64_t i : {0, 1, 2, 3, 20, 21, 22, 23})
    cleanProbabilities[i] = 0;
  EXPECT_EQ(result(guarded, "mask(%a3)", {mask}), clean);
  EXPECT_EQ(probabilities(guarded, "mask(%a3)", {mask}), cleanProbabilities);
  // With other values of empty_row the results of both queries are NaN.
  for (const char *emptyRow : {"", "empty_row = #heddle.empty_row<nan>"})
    for (int64_t i : {0, 1, 2, 15, 16, 17})
      EXPECT_TRUE(std::isnan(result(emptyRow, "mask(%a3)", {mask})[i])) << emptyRow << i;
  // A softmax in f64 has the same probabilities.
  std::string wide = std::string(guarded) + ", softmax_precision = #heddle.softmax_precision<f64>";
  EXPECT_EQ(probabilities(wide, "mask(%a3)", {mask}), cleanProbabilities);
}

namespace {
/// Returns the text of a region. `body` computes %y from the score or probability %x, the indices of the batch entry
/// (%b), head (%h), query (%i) and key (%j), and the further arguments `reads`.
std::string region(std::string name, std::string body, std::string reads = "") {
  return name + " {\n ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index" + reads + "):\n" + body +
         "\n heddle.yield %y : f32\n}";
}
} // namespace

TEST_F(Attention, ScoreRegion) {
  Tensor slopes = runner.f32({2, 1, 1}, {0.5, 0.25});
  // The region computes y = 2 x + slope (j - i) + h.
  std::string score = region("score", R"(
    %two = arith.constant 2.0 : f32
    %t = arith.mulf %x, %two : f32
    %d = arith.subi %j, %i : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %f, %slope : f32
    %s = arith.addf %t, %p : f32
    %m = arith.index_cast %h : index to i32
    %g = arith.sitofp %m : i32 to f32
    %y = arith.addf %s, %g : f32)", ", %slope: f32");
  expectNear(result("", "reads(%a3) " + score, {slopes}),
             {-0.703365, -0.1794692, 0.2845768,  0.512729,  0.4185132,   -0.4925029, 0.7054092,  0.2000784, -0.5032346,
              1.103162,  -0.6798198, 0.02052161, -0.7168622, 0.005574703, 0.4128779,  -0.4514558, 0.1019208, 0.2026604});
}

TEST_F(Attention, ProbabilityRegion) {
  // The region computes y = x x if x > 1/4, otherwise y = j.
  std::string probability = region("probability", R"(
    %c = arith.constant 0.25 : f32
    %above = arith.cmpf ogt, %x, %c : f32
    %s = arith.mulf %x, %x : f32
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %y = arith.select %above, %s, %f : f32)");
  Floats expected = {0.170745,  0.1309749, 2, 3, 0, 1,        0.09946737, 0.1187008, 0,          1,          0.2043012,  0.143458,
                     0,         1,         2, 0.372164, 0, 0.09643241, 0.1638862,  3,         0.08762407, 0.08762407, 0.08762407, 3};
  expectNear(probabilities("scale = 0.70710678118654752", probability), expected);
  expectNear(result("", probability),
             {3.208223,  1.684513,  -2.589198, -1.091182, -0.4510913, 0.1361075, -0.9739698, -0.5249788, 0.09133122,
              -2.034795, -0.529123, 2,         3.537898,  -2.266863,  0.1783755, 3.618564,   -2.184282,  0.02190602});
}

TEST_F(Attention, ARegionMayChangeTheProbabilityOfARemovedKey) {
  std::string twice = region("probability", " %y = arith.addf %x, %x : f32");
  std::string more = region("probability", " %c = arith.constant 0.5 : f32\n %y = arith.addf %x, %c : f32");
  Floats clean = result("", "mask(%a3) " + twice, {mask}), plain = result("", "mask(%a3)", {mask});
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_NEAR(clean[i], 2 * plain[i], 1e-12) << i;
  Floats all = probabilities("scale = 0.70710678118654752", "mask(%a3) " + more, {mask});
  EXPECT_EQ(all[1], 0.5);              // the probability of key 1, which the mask removes for query 0
  value.mutableFloats()[4] = INFINITY; // in the value of key 1
  EXPECT_EQ(result("", "mask(%a3) " + twice, {mask})[1], clean[1]);
  EXPECT_EQ(result("", "mask(%a3) " + more, {mask})[1], INFINITY);
  // The mask removes all keys of query 1. Its result is infinite only if the region makes its probabilities positive.
  EXPECT_EQ(result("", "mask(%a3) " + twice, {mask})[4], 0);
  EXPECT_EQ(result("", "mask(%a3) " + more, {mask})[4], INFINITY);
  EXPECT_TRUE(std::isnan(result("empty_row = #heddle.empty_row<nan>", "mask(%a3) " + twice, {mask})[4]));
}

TEST_F(Attention, AScoreRegionMayRemoveAllKeys) {
  // The region makes all scores of query 1 -inf.
  std::string score = region("score", R"(
    %one = arith.constant 1 : index
    %low = arith.constant 0xFF800000 : f32
    %is = arith.cmpi eq, %i, %one : index
    %y = arith.select %is, %low, %x : f32)");
  Floats plain = result(""), empty = result("", score);
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_EQ(empty[i], i % 9 / 3 == 1 ? 0.0 : plain[i]) << i;
  EXPECT_TRUE(std::isnan(result("empty_row = #heddle.empty_row<nan>", score)[3]));
}

/// With softmax_precision = f64, the softmax is computed in f64 although the interpreter computes in f32.
TEST_F(Attention, SoftmaxInF64) {
  runner.options.precision = heddle::Precision::F32;
  Floats narrow = result("scale = 2.0"), wide = result("scale = 2.0, softmax_precision = #heddle.softmax_precision<f64>");
  expectNear(wide, narrow);
  EXPECT_NE(wide, narrow);
}
