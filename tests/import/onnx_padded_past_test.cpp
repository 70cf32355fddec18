//===- onnx_padded_past_test.cpp - attention masks of decoders ------------===//
//
// Decoders with an attention_mask for padding are imported with and without states for earlier keys and values. Both
// models must return the same results.
//
//===----------------------------------------------------------------------===//

#include "GrowingPastTest.h"

using onnx::TensorProto;
using namespace heddle;

namespace {

struct OnnxPaddedPast : GrowingPastTest {};

TEST_F(OnnxPaddedPast, MergesTheDimensionsOfSequencesAndHeads) {
  // As in Bloom, the scores are [batch * heads, new, keys], ALiBi adds the product of slopes and key positions to them,
  // and each sequence has a mask.
  OnnxBuilder b = attention();
  positions(b);
  tokenInputs(b, {"input_ids", "attention_mask"});
  usesTotal = true;
  b.ints("flat", {1}, {-1});
  b.ints("last_two", {2}, {2, 3});
  b.ints("three", {3}, {0, 1, 2});
  b.ints("last", {1}, {3});
  b.ints("middle", {2}, {1, 2});
  b.ints("heads", {1}, {2});
  for (const char *name : {"q", "transposed_key"}) {
    std::string of = name;
    b.node("Shape", {of}, {of + "_shape"});
    b.node("Gather", {of + "_shape", "last_two"}, {of + "_rest"});
    OnnxBuilder::set(b.node("Concat", {"flat", of + "_rest"}, {of + "_flat"}), "axis", int64_t(0));
    b.node("Reshape", {of, of + "_flat"}, {of + "_heads"});
  }
  b.node("MatMul", {"q_heads", "transposed_key_heads"}, {"products"});
  OnnxBuilder::set(b.node("Cast", {"attention_mask"}, {"ones"}), "to", int64_t(TensorProto::FLOAT));
  OnnxBuilder::set(b.node("Cast", {"keys"}, {"numbers"}), "to", int64_t(TensorProto::FLOAT));
  b.node("Mul", {"ones", "numbers"}, {"slopes"}); // [batch, keys]
  b.floats("steps", {1, 2, 1}, {0.5f, 0.25f});
  b.node("Unsqueeze", {"slopes", "one"}, {"slopes_of_one"});
  b.node("Mul", {"slopes_of_one", "steps"}, {"slopes_of_heads"}); // [batch, 2, keys]
  b.node("Shape", {"slopes_of_heads"}, {"slopes_shape"});
  b.node("Gather", {"slopes_shape", "heads"}, {"slopes_last"});
  b.ints("single", {1}, {1});
  OnnxBuilder::set(b.node("Concat", {"flat", "single", "slopes_last"}, {"slopes_flat"}), "axis", int64_t(0));
  b.node("Reshape", {"slopes_of_heads", "slopes_flat"}, {"alibi"}); // [batch * 2, 1, keys]
  b.node("Add", {"products", "alibi"}, {"sloped"});
  b.node("Gather", {"q_shape", "three"}, {"scores_begin"});
  b.node("Gather", {"transposed_key_shape", "last"}, {"scores_end"});
  OnnxBuilder::set(b.node("Concat", {"scores_begin", "scores_end"}, {"scores_shape"}), "axis", int64_t(0));
  b.node("Reshape", {"sloped", "scores_shape"}, {"sloped_scores"});
  b.node("Unsqueeze", {"places", "one"}, {"queries"});
  b.node("LessOrEqual", {"keys", "queries"}, {"before"});
  OnnxBuilder::set(b.node("Cast", {"attention_mask"}, {"given"}), "to", int64_t(TensorProto::BOOL));
  b.node("Unsqueeze", {"given", "middle"}, {"given_keys"});
  b.node("And", {"before", "given_keys"}, {"seen"});
  b.floats("zero", {}, {0});
  b.floats("lowest", {}, {-3.4e38f});
  b.node("Where", {"seen", "zero", "lowest"}, {"bias"});
  b.node("Add", {"sloped_scores", "bias"}, {"masked"});
  finish(b, "masked");
  EXPECT_EQUAL_CALLS(b);
}

TEST_F(OnnxPaddedPast, PaddingFollowsTheTokensInsteadOfPrecedingThem) {
  // The attention is causal and has a mask; position_ids index a table. The prompts of the model without states have
  // padding before their tokens, and the prompts of the model with states have padding after them. Then both models
  // process one more token.
  OnnxBuilder b = attention();
  positions(b);
  tokenInputs(b, {"input_ids", "attention_mask", "position_ids"});
  b.node("Unsqueeze", {"places", "one"}, {"queries"});
  b.node("LessOrEqual", {"keys", "queries"}, {"before"});
  OnnxBuilder::set(b.node("Cast", {"attention_mask"}, {"given"}), "to", int64_t(TensorProto::BOOL));
  b.ints("middle", {2}, {1, 2});
  b.node("Unsqueeze", {"given", "middle"}, {"given_keys"});
  b.node("And", {"before", "given_keys"}, {"seen"});
  b.floats("lowest", {}, {-3.4e38f});
  b.node("Where", {"seen", "scores", "lowest"}, {"masked"});
  cosines(b, {64, 3});
  b.node("Gather", {"table", "position_ids"}, {"rows"});
  b.node("Unsqueeze", {"rows", "one"}, {"places_of_heads"});
  finish(b, "masked");
  b.graph().mutable_output()->DeleteSubrange(0, 1);
  b.node("Add", {"y", "places_of_heads"}, {"z"});
  b.output("z");
  const std::string path = dir.write("model.onnx", b.model.SerializeAsString());
  const std::vector<int64_t> lengths = {2, 4, 1};
  const int64_t batch = 3, rows = 4, capacity = 6;
  auto integers = [&](llvm::ArrayRef<int64_t> shape, auto valueOf) {
    std::vector<int64_t> values;
    for (int64_t i = 0, columns = shape.size() == 1 ? 1 : shape[1]; i < batch * columns; ++i)
      values.push_back(valueOf(i / columns, i % columns));
    return Tensor(shape, mlir::IntegerType::get(&context, 64), values);
  };
  auto f32 = mlir::Float32Type::get(&context);
  /// Returns a tensor [batch, 2, count, 3]; row i of sequence b depends on the token `tokenOf(b, i)`.
  auto floats = [&](int64_t count, int64_t seed, auto tokenOf) {
    Tensor tensor({batch, 2, count, 3}, f32);
    for (auto [i, value] : llvm::enumerate(tensor.mutableFloats()))
      value = std::sin(double(seed + 5 * int64_t(i % 3) + 11 * int64_t(i / (3 * count)) +
                              100 * tokenOf(int64_t(i) / (6 * count), int64_t(i) / 3 % count)));
    return tensor;
  };
  // Imports the model for `count` new tokens, with states or with `past` earlier positions, and returns its results.
  auto run = [&](bool isState, int64_t count, int64_t past, Inputs inputs) {
    ImportOptions asked;
    asked.state = isState;
    asked.mayBeEmpty = true;
    asked.dims = {{"batch", batch}, {"new", count}};
    if (isState)
      asked.dims["capacity"] = capacity;
    else
      asked.dims.insert({{"past", past}, {"total", past + count}});
    inputs["input_ids"] = integers({batch, count}, [](int64_t, int64_t) { return 0; });
    mlir::FailureOr<Model> model = importModel(context, path, asked);
    auto results = succeeded(model) ? tryReference(*model, inputs) : mlir::FailureOr<Inputs>(mlir::failure());
    EXPECT_TRUE(succeeded(results)) << context.take();
    return succeeded(results) ? *results : Inputs();
  };
  // Compares, for each sequence, the last of its `count` rows in `wanted`, the results without states, with the row
  // rowOf(sequence) in `found`, the results with states.
  auto compare = [&](const Inputs &wanted, const Inputs &found, int64_t count, auto rowOf) {
    for (int64_t i = 0; i < batch * 2 * 3; ++i) {
      int64_t sequence = i / 6, head = i / 3;
      EXPECT_NEAR(wanted.at("z").floats()[(head * count + count - 1) * 3 + i % 3],
                  found.at("z").floats()[(head * count + rowOf(sequence)) * 3 + i % 3], 1e-9)
          << "sequence " << sequence;
    }
  };
  // Without states, row i of sequence b is a token (not padding) if isOwn(b, i), and the token has the index own(b, i).
  // `theirs` are the inputs without states, and `ours` the inputs with states.
  auto isOwn = [&](int64_t b, int64_t i) { return i >= rows - lengths[b]; };
  auto own = [&](int64_t b, int64_t i) { return i - rows + lengths[b]; };
  Inputs theirs, ours;
  for (const char *name : {"past_key", "past_value"}) {
    theirs[name] = Tensor({batch, 2, 0, 3}, f32);
    ours[name] = Tensor({batch, 2, capacity, 3}, f32);
  }
  int64_t seed = 0;
  for (const char *name : {"q", "new_key", "new_value"}) {
    theirs[name] = floats(rows, ++seed, own);
    ours[name] = floats(rows, seed, [&](int64_t b, int64_t i) { return i < lengths[b] ? i : 50 + i; });
  }
  theirs["attention_mask"] = integers({batch, rows}, isOwn);
  auto placeOf = [&](int64_t b, int64_t i) { return std::max<int64_t>(own(b, i), 0); };
  theirs["position_ids"] = integers({batch, rows}, placeOf);
  ours["past"] = integers({batch}, [](int64_t, int64_t) { return 0; });
  Inputs wanted = run(false, rows, 0, theirs), found = run(true, rows, 0, ours);
  ASSERT_FALSE(wanted.empty() || found.empty());
  compare(wanted, found, rows, [&](int64_t b) { return lengths[b] - 1; });

  for (const char *name : {"key", "value"}) {
    theirs[std::string("past_") + name] = wanted.at(std::string("present_") + name);
    ours[std::string("past_") + name] = found.at(std::string("present_") + name);
  }
  for (const char *name : {"q", "new_key", "new_value"})
    theirs[name] = ours[name] = floats(1, ++seed, [](int64_t b, int64_t) { return 7 + b; });
  theirs["attention_mask"] = integers({batch, rows + 1}, isOwn);
  theirs["position_ids"] = integers({batch, 1}, [&](int64_t b, int64_t) { return lengths[b]; });
  ours["past"] = integers({batch}, [&](int64_t b, int64_t) { return lengths[b]; });
  wanted = run(false, 1, rows, theirs), found = run(true, 1, 0, ours);
  ASSERT_FALSE(wanted.empty() || found.empty());
  compare(wanted, found, 1, [](int64_t) { return 0; });
}

} // namespace
