//===- onnx_growing_past_test.cpp - a growing past as states --------------===//
//
// Each test builds an attention layer whose inputs contain earlier keys and values, as exporters write it.
// EXPECT_EQUAL_CALLS(b) imports the model with these inputs replaced by states, and compares the results of several
// calls with those of the model without states. The results must not depend on rows of a state that are not written
// yet.
//
//===----------------------------------------------------------------------===//

#include "GrowingPastTest.h"

using onnx::TensorProto;

namespace {

struct OnnxGrowingPast : GrowingPastTest {};

TEST_F(OnnxGrowingPast, InputsToWhichNewRowsAreAppendedAreStates) {
  OnnxBuilder b = attention();
  finish(b, "scores");
  EXPECT_EQUAL_CALLS(b);
}

TEST_F(OnnxGrowingPast, MasksMayBeComputedFromSizes) {
  // Query i attends to key j if i + past - 3 < j <= i + past. The model expresses this by a selection of scores, or by
  // an added mask.
  for (bool adds : {false, true}) {
    OnnxBuilder b = attention();
    positions(b);
    b.node("Unsqueeze", {"places", "one"}, {"queries"});
    b.node("LessOrEqual", {"keys", "queries"}, {"before"});
    b.ints("window", {}, {3});
    b.node("Sub", {"queries", "window"}, {"first"});
    b.node("Greater", {"keys", "first"}, {"near"});
    b.node("And", {"before", "near"}, {"seen"});
    b.floats("zero", {}, {0});
    b.floats("lowest", {}, {adds ? -3.4e38f : -INFINITY});
    if (adds) {
      b.node("Where", {"seen", "zero", "lowest"}, {"bias"});
      b.node("Add", {"scores", "bias"}, {"masked"});
    } else {
      b.node("Where", {"seen", "scores", "lowest"}, {"masked"});
    }
    finish(b, "masked");
    EXPECT_EQUAL_CALLS(b);
  }
}

TEST_F(OnnxGrowingPast, PositionsMayIndexTablesAndGiveAngles) {
  OnnxBuilder b = attention();
  positions(b);
  cosines(b, {64, 3});
  b.node("Gather", {"table", "places"}, {"rows"});
  OnnxBuilder::set(b.node("Cast", {"places"}, {"numbers"}), "to", int64_t(TensorProto::FLOAT));
  b.node("Unsqueeze", {"numbers", "one"}, {"columns"});
  b.node("Sin", {"columns"}, {"angles"});
  b.node("Mul", {"q", "rows"}, {"scaled_q"});
  b.node("Add", {"scaled_q", "angles"}, {"query"});
  b.node("MatMul", {"query", "transposed_key"}, {"scores_of_places"});
  finish(b, "scores_of_places");
  EXPECT_EQUAL_CALLS(b);
}

TEST_F(OnnxGrowingPast, ATableMayBeAsLongAsTheStates) {
  // A table of 6 rows suffices for a capacity of 6, because the past and the new rows together never exceed the
  // capacity.
  OnnxBuilder b = attention();
  positions(b);
  cosines(b, {6, 3});
  b.node("Gather", {"table", "places"}, {"rows"});
  b.node("Mul", {"q", "rows"}, {"query"});
  b.node("MatMul", {"query", "transposed_key"}, {"scores_of_places"});
  finish(b, "scores_of_places");
  EXPECT_EQUAL_CALLS(b);
  options.state = true;
  options.dims = {{"batch", 2}};
  for (int64_t capacity : {6, 7}) {
    options.ranges = {{"new", 1, 6}, {"capacity", 4, capacity}};
    EXPECT_EQ(succeeded(import(b)), capacity == 6) << context.text;
  }
  EXPECT_HAS(context.take(), "at new=6 capacity=7 past=1");
}

TEST_F(OnnxGrowingPast, ATableMayBeReadUpToItsEnd) {
  // As in MPT, the model slices the last past + new columns of a table, so the first of these columns depends on the
  // past.
  OnnxBuilder b = attention();
  positions(b);
  cosines(b, {1, 2, 1, 7});
  b.ints("front", {1}, {0});
  b.ints("behind", {1}, {INT64_MAX});
  b.ints("columns", {1}, {3});
  b.node("Neg", {"length"}, {"from_the_end"});
  b.node("Unsqueeze", {"from_the_end", "front"}, {"begin"});
  b.node("Slice", {"table", "begin", "behind", "columns"}, {"slopes"});
  b.node("Add", {"scores", "slopes"}, {"sloped"});
  finish(b, "sloped");
  EXPECT_EQUAL_CALLS(b);
}

TEST_F(OnnxGrowingPast, PositionsMayBeSumsOfOnes) {
  // As in OPT, the model computes the positions of the past and of the new rows as floats, and then selects the
  // positions of the new rows.
  OnnxBuilder b = attention();
  positions(b);
  b.ints("front", {1}, {0});
  b.ints("behind", {1}, {INT64_MAX});
  b.ints("last", {}, {1});
  b.floats("one_float", {}, {1});
  b.node("Unsqueeze", {"length", "front"}, {"lengths"});
  b.node("Unsqueeze", {"past_length", "front"}, {"past_lengths"});
  OnnxBuilder::set(b.node("Concat", {"one", "lengths"}, {"ones_shape"}), "axis", int64_t(0));
  b.node("Expand", {"one_float", "ones_shape"}, {"ones"});
  b.node("CumSum", {"ones", "last"}, {"counts"});
  b.node("Mul", {"counts", "ones"}, {"counted"});
  b.node("Sub", {"counted", "one_float"}, {"numbers"});
  OnnxBuilder::set(b.node("Cast", {"numbers"}, {"all_places"}), "to", int64_t(TensorProto::INT64));
  b.node("Slice", {"all_places", "past_lengths", "behind", "one"}, {"new_places"});
  cosines(b, {6, 3});
  b.node("Gather", {"table", "new_places"}, {"rows"});
  b.node("Unsqueeze", {"rows", "one"}, {"rows_of_heads"});
  b.node("Add", {"q", "rows_of_heads"}, {"query"});
  b.node("MatMul", {"query", "transposed_key"}, {"scores_of_places"});
  finish(b, "scores_of_places");
  EXPECT_EQUAL_CALLS(b);
}

/// With states, the model has no inputs attention_mask and position_ids, because the past determines their values.
TEST_F(OnnxGrowingPast, StatesReplaceMaskAndPositions) {
  OnnxBuilder b = attention();
  tokenInputs(b, {"input_ids", "attention_mask", "position_ids"});
  usesTotal = true;
  OnnxBuilder::set(b.node("Cast", {"attention_mask"}, {"given"}), "to", int64_t(TensorProto::BOOL));
  b.ints("middle", {2}, {1, 2});
  b.ints("last", {1}, {2});
  b.ints("heads", {1}, {1});
  b.node("Unsqueeze", {"given", "middle"}, {"seen"});
  b.floats("lowest", {}, {-INFINITY});
  b.node("Where", {"seen", "scores", "lowest"}, {"masked"});
  cosines(b, {64, 3});
  b.node("Gather", {"table", "position_ids"}, {"rows"});
  b.node("Gather", {"table", "input_ids"}, {"tokens"});
  b.node("Add", {"rows", "tokens"}, {"embedded"});
  b.node("Unsqueeze", {"embedded", "heads"}, {"places"});
  finish(b, "masked");
  b.graph().mutable_output()->DeleteSubrange(0, 1);
  b.node("Add", {"y", "places"}, {"z"});
  b.output("z");
  EXPECT_EQUAL_CALLS(b);
}

/// The positions in position_ids are also replaced if a call has many tokens, here 80.
TEST_F(OnnxGrowingPast, StatesReplacePositionsOfManyTokens) {
  OnnxBuilder b = attention();
  tokenInputs(b, {"input_ids", "position_ids"});
  b.floats("table", {90, 1}, std::vector<float>(90, 0.5f));
  b.ints("heads", {1}, {1});
  b.node("Gather", {"table", "position_ids"}, {"rows"});
  b.node("Unsqueeze", {"rows", "heads"}, {"places"});
  b.node("Add", {"scores", "places"}, {"moved"});
  finish(b, "moved");
  EXPECT_EQ(compareCalls(b, 2, 80, 90, {{0, 0}, {10, 3}}), "");
}

TEST_F(OnnxGrowingPast, OtherUsesOfThePastAreRefused) {
  options.state = true;
  options.dims = {{"batch", 2}, {"new", 2}, {"capacity", 6}};
  OnnxBuilder none(17);
  none.input("x", {2, 3});
  none.node("Relu", {"x"}, {"y"});
  none.output("y");
  EXPECT_HAS(errorOf(none), "--state: no input of the model is a past to which a node appends new rows");

  OnnxBuilder read = attention();
  OnnxBuilder::set(read.node("ReduceSum", {"past_key"}, {"sum"}), "keepdims", int64_t(0));
  read.node("Add", {"scores", "sum"}, {"more"});
  finish(read, "more");
  EXPECT_HAS(errorOf(read),
             "--state: input 'past_key' is also read by a node other than the Concat that appends new rows to it");

  OnnxBuilder alone = attention();
  open(alone.input("other", {1, 2, 1, 3}), {"batch", "", "past", ""});
  OnnxBuilder::set(alone.node("ReduceSum", {"other"}, {"sum"}), "keepdims", int64_t(0));
  alone.node("Add", {"scores", "sum"}, {"more"});
  finish(alone, "more");
  EXPECT_HAS(errorOf(alone), "--state: input 'other' has a dimension that depends on the past, but no output appends "
                             "new rows to this input");

  OnnxBuilder sums = attention();
  OnnxBuilder::set(sums.node("ReduceMean", {"present_value"}, {"mean"}), "axes", OnnxBuilder::Dims{2});
  finish(sums, "scores");
  sums.node("Add", {"y", "mean"}, {"z"});
  sums.output("z");
  EXPECT_HAS(errorOf(sums), "combines the positions of the past; only recognised attention may do so");

  OnnxBuilder product = attention(); // without a softmax, rows that are not written yet would change the result
  product.node("Relu", {"scores"}, {"weights"});
  product.node("MatMul", {"weights", "present_value"}, {"y"});
  for (const char *name : {"y", "present_key", "present_value"})
    product.output(name);
  EXPECT_HAS(errorOf(product), "--state: node ");

  OnnxBuilder length = attention(); // the output depends on the past, whose length differs between sequences
  finish(length, "scores");
  positions(length);
  length.output("places", TensorProto::INT64);
  EXPECT_HAS(errorOf(length), "--state: output 'places' depends on the length of the past, but is not a state");

  OnnxBuilder table = attention();
  positions(table);
  table.floats("table", {40, 3}, std::vector<float>(120, 1.5));
  table.node("Gather", {"table", "places"}, {"rows"});
  table.node("Mul", {"q", "rows"}, {"query"});
  table.node("MatMul", {"query", "transposed_key"}, {"of_places"});
  finish(table, "of_places");
  options.dims["capacity"] = 41;
  EXPECT_HAS(errorOf(table),
             "node 'rows' (Gather, opset 17): index 40 is out of range for an extent of 40: this occurs at past=39 but "
             "not at past=0");

  OnnxBuilder axis = attention();
  finish(axis, "scores");
  axis.graph().mutable_node(0)->mutable_attribute(0)->set_i(3);
  EXPECT_HAS(errorOf(axis),
             "(Concat): --state: expected a past [batch, heads, positions, size] with a dynamic number of positions, "
             "to which new positions are appended (axis 2)");

  OnnxBuilder named = attention();
  finish(named, "scores");
  options.dims["past"] = 3;
  EXPECT_HAS(errorOf(named),
             "--state: 'past' is determined by each call and cannot be given; limit it by --dim capacity=N");
}

TEST_F(OnnxGrowingPast, OtherFormsOfPastsAreRefused) {
  options.state = true;
  options.dims = {{"batch", 2}, {"new", 2}, {"capacity", 6}};
  // Exchanges the two inputs of a Concat.
  auto swap = [](OnnxBuilder &b, int node, const char *past, const char *rows) {
    b.graph().mutable_node(node)->set_input(0, rows);
    b.graph().mutable_node(node)->set_input(1, past);
  };
  // The operands of Concat are exchanged, so the new rows look like a past, and the past looks like new rows.
  OnnxBuilder first = attention();
  finish(first, "scores");
  swap(first, 0, "past_key", "new_key");
  swap(first, 1, "past_value", "new_value");
  EXPECT_HAS(errorOf(first),
             "--state: 'new' is determined by each call and cannot be given; limit it by --dim capacity=N");

  OnnxBuilder hidden = attention();
  finish(hidden, "scores");
  hidden.graph().mutable_output()->DeleteSubrange(1, 1);
  EXPECT_HAS(errorOf(hidden),
             "--state: input 'past_key' has a dimension that depends on the past, but no output appends "
             "new rows to this input");

  OnnxBuilder fixed = attention();
  finish(fixed, "scores");
  for (auto &input : *fixed.graph().mutable_input())
    if (input.name() == "past_value")
      input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(2)->set_dim_value(4);
  EXPECT_HAS(errorOf(fixed),
             "(Concat): --state: expected a past [batch, heads, positions, size] with a dynamic number ");

  OnnxBuilder more = attention();
  finish(more, "scores");
  open(more.input("new_other", {1, 2, 1, 3}), {"batch", "", "more", ""});
  open(more.input("past_other", {1, 2, 1, 3}), {"batch", "", "past", ""});
  OnnxBuilder::set(more.node("Concat", {"past_other", "new_other"}, {"present_other"}), "axis", int64_t(2));
  more.output("present_other");
  options.dims["more"] = 3;
  EXPECT_HAS(errorOf(more), "--state: all outputs must append the same number of new rows, found 2 and 3");
}

} // namespace
