//===- onnx_states_test.cpp - buffers of ONNX decoders as states ----------===//
//
// With the option --state, the importer replaces inputs for earlier keys and values by states, which the model keeps
// from call to call. The results are compared with those of the same model without states, which computes the length of
// each past from an attention mask.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

#include "Notes.h"

using heddle::Tensor;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;

// The number of sequences, of new tokens of each sequence, and of positions for which the buffers have room.
constexpr int64_t batch = 2, rows = 2, capacity = 7;

struct OnnxStates : OnnxTest {
  /// Returns a GroupQueryAttention of `rows` new tokens. As in models of ONNX Runtime's exporters, the lengths of the
  /// sequences are computed from an attention mask.
  static OnnxBuilder model(bool rotates = true) {
    OnnxBuilder b(17);
    auto &domain = *b.model.add_opset_import();
    domain.set_domain("com.microsoft");
    domain.set_version(1);
    b.input("q", {batch, rows, 8});
    b.input("k", {batch, rows, 4});
    b.input("v", {batch, rows, 4});
    b.input("mask", {batch, capacity}, TensorProto::INT64);
    b.input("past_key", {batch, 2, capacity, 2});
    b.input("past_value", {batch, 2, capacity, 2});
    b.input("total", {1}, TensorProto::INT32);
    b.ints("axis", {1}, {1});
    b.ints("one", {1}, {1});
    OnnxBuilder::set(b.node("ReduceSum", {"mask", "axis"}, {"sum"}), "keepdims", int64_t(0));
    b.node("Sub", {"sum", "one"}, {"less"});
    OnnxBuilder::set(b.node("Cast", {"less"}, {"lengths"}), "to", int64_t(TensorProto::INT32));
    std::vector<float> cosines, sines;
    for (int64_t i = 0; i < capacity; ++i) {
      cosines.push_back(float(std::cos(0.3 * double(i))));
      sines.push_back(float(std::sin(0.3 * double(i))));
    }
    b.floats("cosines", {capacity, 1}, cosines);
    b.floats("sines", {capacity, 1}, sines);
    auto &node =
        b.node("GroupQueryAttention", {"q", "k", "v", "past_key", "past_value", "lengths", "total", "cosines", "sines"},
               {"y", "present_key", "present_value"});
    node.set_domain("com.microsoft");
    OnnxBuilder::set(node, "num_heads", int64_t(4));
    OnnxBuilder::set(node, "kv_num_heads", int64_t(2));
    OnnxBuilder::set(node, "do_rotary", int64_t(rotates));
    OnnxBuilder::set(node, "local_window_size", int64_t(3));
    for (const char *name : {"y", "present_key", "present_value"})
      b.output(name);
    return b;
  }

  Tensor floats(const Dims &shape, int64_t seed) {
    Tensor tensor(shape, mlir::Float32Type::get(&context));
    for (auto [i, value] : llvm::enumerate(tensor.mutableFloats()))
      value = std::sin(double(7 * i + 13 * seed));
    return tensor;
  }
  Tensor ints(const Dims &shape, unsigned width, std::vector<int64_t> values) {
    return Tensor(shape, mlir::IntegerType::get(&context, width), std::move(values));
  }
};

TEST_F(OnnxStates, BuffersOfGroupQueryAttentionBecomeStates) {
  OnnxBuilder b = model();
  auto plain = import(b);
  options.state = true;
  auto kept = import(b);
  ASSERT_TRUE(succeeded(plain) && succeeded(kept)) << context.take();
  auto main = kept->module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    names.push_back(heddle::notes::name.get(main, i)->str());
  EXPECT_EQ(names, (std::vector<std::string>{"q", "k", "v", "past_key", "past_value", "past"}));
  EXPECT_EQ(heddle::notes::state.get(main, 3), "past_key");
  EXPECT_EQ(heddle::notes::state.getOfResult(main, 1), "past_key");
  EXPECT_EQ(heddle::notes::state.getOfResult(main, 2), "past_value");
  EXPECT_TRUE(heddle::notes::statePast.has(main, 5));

  // The first call processes prompts. Then each sequence continues at its own position. In the second and the last
  // call, sequences are rewound: `past` is less than the number of tokens that earlier calls wrote.
  Tensor keys = Tensor::uninitialized({batch, 2, capacity, 2}, mlir::Float32Type::get(&context)), values = keys;
  int64_t call = 0;
  for (std::vector<int64_t> past : {std::vector<int64_t>{0, 0}, {2, 1}, {4, 3}, {5, 2}}) {
    SCOPED_TRACE(call);
    std::map<std::string, Tensor> inputs = {{"q", floats({batch, rows, 8}, call)},
                                            {"k", floats({batch, rows, 4}, call + 10)},
                                            {"v", floats({batch, rows, 4}, call + 20)},
                                            {"past_key", keys},
                                            {"past_value", values},
                                            {"past", ints({batch}, 64, past)}};
    auto found = tryReference(*kept, inputs);
    // In the model without states, rows that were not written yet must not be NaN.
    for (const char *name : {"past_key", "past_value"})
      for (double &value : inputs.at(name).mutableFloats())
        value = std::isnan(value) ? 0 : value;
    std::vector<int64_t> mask;
    for (int64_t row = 0; row < batch; ++row)
      for (int64_t i = 0; i < capacity; ++i)
        mask.push_back(i < past[row] + rows);
    inputs["mask"] = ints({batch, capacity}, 64, mask);
    inputs["total"] = ints({1}, 32, {std::max(past[0], past[1]) + rows});
    auto wanted = tryReference(*plain, inputs);
    ASSERT_TRUE(succeeded(found) && succeeded(wanted)) << context.take();
    for (auto [a, b] : llvm::zip_equal(found->at("y").floats(), wanted->at("y").floats()))
      EXPECT_NEAR(a, b, 1e-12);
    keys = found->at("present_key");
    values = found->at("present_value");
    ++call;
  }
}

/// identify() returns a hash of the model, so that a call can recognise and refuse a state of another model.
TEST_F(OnnxStates, IdentityDependsOnTheFileAndItsExternalData) {
  options.state = true;
  auto identify = [&](const OnnxBuilder &builder) {
    auto imported = import(builder);
    EXPECT_TRUE(succeeded(imported)) << context.take();
    return imported->identify();
  };
  uint64_t first = identify(model());
  EXPECT_EQ(first, identify(model()));
  EXPECT_NE(first, identify(model(/*rotates=*/false)));
  // External data is part of the model's identity.
  OnnxBuilder apart = model();
  auto &cosines = *llvm::find_if(*apart.graph().mutable_initializer(),
                                 [](const TensorProto &tensor) { return tensor.name() == "cosines"; });
  std::string bytes(capacity * sizeof(float), 0);
  cosines.clear_float_data();
  cosines.clear_raw_data();
  cosines.set_data_location(TensorProto::EXTERNAL);
  auto &location = *cosines.add_external_data();
  location.set_key("location");
  location.set_value("cosines");
  dir.write("cosines", bytes);
  uint64_t zeros = identify(apart);
  bytes.back() = 1;
  dir.write("cosines", bytes);
  EXPECT_NE(zeros, identify(apart));
}

TEST_F(OnnxStates, RefusesPastsThatCannotBeStates) {
  options.state = true;
  OnnxBuilder none(17);
  none.input("x", {2, 3});
  none.node("Relu", {"x"}, {"y"});
  none.output("y");
  EXPECT_HAS(errorOf(none), "--state: no input of the model is a past to which a node appends new rows");

  OnnxBuilder other(23);
  other.input("q", {2, 2, 1, 4});
  for (const char *name : {"k", "v"})
    other.input(name, {2, 2, 1, 4});
  for (const char *name : {"past_key", "past_value"})
    other.input(name, {2, 2, 3, 4});
  other.node("Attention", {"q", "k", "v", "", "past_key", "past_value"}, {"y", "present_key", "present_value"});
  for (const char *name : {"y", "present_key", "present_value"})
    other.output(name);
  EXPECT_HAS(errorOf(other),
             "(Attention): --state: the past 'past_key' and the present 'present_key' are not known to share memory");

  OnnxBuilder inside = model();
  inside.graph().mutable_output()->RemoveLast();
  EXPECT_HAS(errorOf(inside),
             "(GroupQueryAttention): --state: expected the past 'past_value' to be an input of the model with 4 "
             "dimensions, and the present 'present_value' to be an output");
  OnnxBuilder twice = model();
  twice.node("Relu", {"past_key"}, {"other"});
  twice.output("other");
  EXPECT_HAS(errorOf(twice), "--state: its past 'past_key' is also read elsewhere");
  OnnxBuilder positions = model();
  positions.input("position_ids", {batch, rows}, TensorProto::INT64);
  positions.graph().mutable_node(3)->add_input("position_ids");
  EXPECT_HAS(errorOf(positions),
             "--state: position_ids are not supported: new tokens have the positions after the past");
  OnnxBuilder named = model();
  named.input("past", {1});
  EXPECT_HAS(errorOf(named), "--state: expected a model without an input 'past'");
}

/// The search for inputs that can be states must terminate even if nodes form a cycle.
TEST_F(OnnxStates, RefusesCyclesOfNodes) {
  options.state = true;
  for (const char *op : {"Identity", "Transpose"}) {
    OnnxBuilder b(17);
    b.input("x", {2, 3});
    b.node(op, {"first"}, {"second"});
    b.node(op, {"second"}, {"first"});
    b.output("first");
    EXPECT_HAS(errorOf(b), "--state: no input of the model is a past to which a node appends new rows") << op;
  }
}

} // namespace
