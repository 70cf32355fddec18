//===- onnx_functions_test.cpp - functions of ONNX models -----------------===//

#include "OnnxBuilder.h"

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Doubles = std::vector<double>;
using Names = OnnxBuilder::Names;
using OnnxFunctions = OnnxTest;

/// Numbers of fields that an older onnx.proto does not have.
constexpr int nodeOverload = 8, functionDefaults = 11, functionOverload = 13;

void setLater(google::protobuf::Message &message, int field, const std::string &bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(field, bytes);
}

struct Builder : OnnxBuilder {
  /// x [2], and outputs of these names.
  explicit Builder(const Names &outputs = {"y"}, int64_t opset = 18) : OnnxBuilder(opset) {
    input("x", {2});
    for (const std::string &name : outputs)
      output(name);
  }

  FunctionProto &function(const std::string &name, const Names &inputs, const Names &outputs, int64_t opset = 18) {
    FunctionProto &function = *model.add_functions();
    function.set_domain("local");
    function.set_name(name);
    for (const std::string &input : inputs)
      function.add_input(input);
    for (const std::string &output : outputs)
      function.add_output(output);
    function.add_opset_import()->set_version(opset);
    return function;
  }

  NodeProto &call(const std::string &name, const Names &inputs, const Names &outputs) {
    NodeProto &call = node(name, inputs, outputs);
    call.set_domain("local");
    return call;
  }
};

/// A node of a function or of a graph within a node.
template <typename Owner>
NodeProto &addNode(Owner &owner, const std::string &op, const Names &inputs, const Names &outputs) {
  NodeProto &node = *owner.add_node();
  node.set_op_type(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  return node;
}

template <typename Owner>
NodeProto &addCall(Owner &owner, const std::string &name, const Names &inputs, const Names &outputs) {
  NodeProto &call = addNode(owner, name, inputs, outputs);
  call.set_domain("local");
  return call;
}

void refer(NodeProto &node, const std::string &name, AttributeProto::AttributeType type, const std::string &outer) {
  OnnxBuilder::attribute(node, name, type).set_ref_attr_name(outer);
}

void addDefault(FunctionProto &function, const std::string &name, float value) {
  AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(AttributeProto::FLOAT);
  attribute.set_f(value);
  setLater(function, functionDefaults, attribute.SerializeAsString());
}

/// leaky(x): LeakyRelu with the attribute "slope" for alpha.
FunctionProto &addLeaky(Builder &b) {
  FunctionProto &leaky = b.function("leaky", {"x"}, {"y"});
  refer(addNode(leaky, "LeakyRelu", {"x"}, {"y"}), "alpha", AttributeProto::FLOAT, "slope");
  return leaky;
}

const std::map<std::string, std::vector<float>> signs{{"x", {1, -1}}};

TEST_F(OnnxFunctions, HandAttributesOn) {
  Builder b;
  addLeaky(b).add_attribute("slope");
  OnnxBuilder::set(b.call("leaky", {"x"}, {"y"}), "slope", 0.5f);
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{1, -0.5}));

  // Without a value and a default the operator has its own.
  b = Builder();
  addLeaky(b).add_attribute("slope");
  b.call("leaky", {"x"}, {"y"});
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{1, -0.01}));

  // A default counts where the call gives no value.
  b = Builder({"y", "z"});
  addDefault(addLeaky(b), "slope", 0.25f);
  b.call("leaky", {"x"}, {"y"});
  OnnxBuilder::set(b.call("leaky", {"x"}, {"z"}), "slope", 3.f);
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, -0.25}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{1, -3}));
}

TEST_F(OnnxFunctions, HandAttributesThroughFunctions) {
  Builder b({"y", "z"});
  addLeaky(b).add_attribute("slope");
  FunctionProto &outer = b.function("outer", {"a"}, {"b"});
  outer.add_attribute("steep");
  refer(addCall(outer, "leaky", {"a"}, {"h"}), "slope", AttributeProto::FLOAT, "steep");
  OnnxBuilder::set(addCall(outer, "leaky", {"h"}, {"b"}), "slope", 2.f);
  OnnxBuilder::set(b.call("outer", {"x"}, {"y"}), "steep", 5.f);
  b.call("outer", {"x"}, {"z"});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, -10}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{1, -0.02}));
}

TEST_F(OnnxFunctions, LeaveInputsAndOutputsOut) {
  Builder b({"y", "z"});
  FunctionProto &clip = b.function("clip", {"x", "low", "high"}, {"y", "none", "low_too"});
  addNode(clip, "Clip", {"x", "low", "high"}, {"y"});
  addNode(clip, "NonZero", {"x"}, {"none"}); // not supported, and not needed
  addNode(clip, "Neg", {"low"}, {"low_too"});
  b.floats("zero", {}, {0});
  b.floats("half", {}, {0.5});
  b.call("clip", {"x", "zero"}, {"y"});
  b.call("clip", {"x", "", "half"}, {"z", "", ""});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, 0}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{0.5, -1}));
}

TEST_F(OnnxFunctions, ReturnInputsAndValuesTwice) {
  Builder b({"a", "b", "c"});
  FunctionProto &function = b.function("f", {"x"}, {"x", "y", "y"});
  addNode(function, "Neg", {"x"}, {"y"});
  b.call("f", {"x"}, {"a", "b", "c"});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("a")), (Doubles{1, -1}));
  EXPECT_EQ(numbers(results.at("b")), (Doubles{-1, 1}));
  EXPECT_EQ(numbers(results.at("c")), (Doubles{-1, 1}));
}

TEST_F(OnnxFunctions, AreToldApartByOverloads) {
  Builder b({"y", "z", "w"});
  for (auto [overload, op] : {std::pair("a", "Neg"), {"b", "Abs"}, {"", "Exp"}}) {
    FunctionProto &function = b.function("f", {"x"}, {"y"});
    addNode(function, op, {"x"}, {"y"});
    if (*overload)
      setLater(function, functionOverload, overload);
  }
  setLater(b.call("f", {"x"}, {"y"}), nodeOverload, "a");
  setLater(b.call("f", {"x"}, {"z"}), nodeOverload, "b");
  b.call("f", {"x"}, {"w"});
  auto results = run(b, {}, {{"x", {2, 0}}});
  EXPECT_EQ(numbers(results.at("y")), (Doubles{-2, -0.0}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{2, 0}));
  EXPECT_EQ(numbers(results.at("w")), (Doubles{7.3891, 1}));
  setLater(b.call("f", {"x"}, {"v"}), nodeOverload, "c");
  EXPECT_HAS(errorOf(b), "node 'v' calls function 'local.f:c', which the model does not have");
}

/// Softmax goes over all that follows axis 1 up to version 12, and over the last axis from 13 on.
TEST_F(OnnxFunctions, ImportVersionsOfTheirOwn) {
  auto softmax = [&](int64_t opset) {
    Builder b;
    OnnxBuilder::setPort(*b.graph().mutable_input(0), "x", TensorProto::FLOAT, {1, 2, 1});
    addNode(b.function("f", {"x"}, {"y"}, opset), "Softmax", {"x"}, {"y"});
    b.call("f", {"x"}, {"y"});
    return b;
  };
  std::map<std::string, std::vector<float>> equal{{"x", {1, 1}}};
  EXPECT_EQ(numbers(run(softmax(11), {}, equal).at("y")), (Doubles{0.5, 0.5}));
  EXPECT_EQ(numbers(run(softmax(18), {}, equal).at("y")), (Doubles{1, 1}));
  EXPECT_HAS(errorOf(softmax(6)), "node 'y/y' (Softmax): its function uses opset 6, which is not supported");
  Builder b = softmax(11);
  b.model.mutable_functions(0)->clear_opset_import();
  EXPECT_HAS(errorOf(b), "node 'y/y' (Softmax): its function does not say which version of the standard operators");
}

TEST_F(OnnxFunctions, KeepTheirNamesApart) {
  Builder b({"y"});
  FunctionProto &function = b.function("f", {"a", "x"}, {"y"});
  addNode(function, "Sub", {"x", "a"}, {"t"}); // x and a are the other way round outside
  addNode(function, "Mul", {"t", "t"}, {"y"});
  b.node("Neg", {"x"}, {"a"});
  b.node("Identity", {"x"}, {"t"});
  b.node("Identity", {"x"}, {"once/t"});
  b.call("f", {"x", "a"}, {"once"}).set_name("once");
  b.call("f", {"once", "t"}, {"twice"}).set_name("once");
  b.node("Add", {"twice", "once/t"}, {"y"});
  // (-x - x)^2 = 4; (x - 4)^2 = 9, 25; + x
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{10, 24}));

  // A function knows nothing of the values around its calls.
  b = Builder();
  addNode(b.function("f", {"x"}, {"y"}), "Add", {"x", "k"}, {"y"});
  b.node("Neg", {"x"}, {"k"});
  b.node("Neg", {"x"}, {"y/k"});
  b.call("f", {"x"}, {"y"});
  EXPECT_HAS(errorOf(b), "node 'y/y' (Add, opset 18): input 'y/k.1' is defined nowhere before this node");
}

/// What a graph within a node has, whose port and node are called after `name`.
GraphProto &setGraph(NodeProto &node, const std::string &attribute, const std::string &output) {
  GraphProto &graph = *OnnxBuilder::attribute(node, attribute, AttributeProto::GRAPH).mutable_g();
  graph.add_output()->set_name(output);
  return graph;
}

TEST_F(OnnxFunctions, AreCalledInGraphsAndHaveGraphs) {
  Builder b({"y", "z"});
  FunctionProto &leaky = addLeaky(b);
  leaky.add_attribute("slope");
  FunctionProto &choose = b.function("choose", {"x", "condition"}, {"y"});
  choose.add_attribute("slope");
  addNode(choose, "Add", {"x", "x"}, {"t"});
  NodeProto &branch = addNode(choose, "If", {"condition"}, {"y"});
  GraphProto &then = setGraph(branch, "then_branch", "r");
  refer(addCall(then, "leaky", {"t"}, {"s"}), "slope", AttributeProto::FLOAT, "slope");
  addNode(then, "Sub", {"s", "x"}, {"r"});
  addNode(setGraph(branch, "else_branch", "r"), "Neg", {"t"}, {"r"});
  b.empty("true", {}, TensorProto::BOOL).add_int32_data(1);
  b.empty("false", {}, TensorProto::BOOL).add_int32_data(0);
  OnnxBuilder::set(b.call("choose", {"x", "true"}, {"y"}), "slope", 3.f);
  NodeProto &outer = b.node("If", {"true"}, {"z"});
  addCall(setGraph(outer, "then_branch", "q"), "choose", {"x", "false"}, {"q"});
  addNode(setGraph(outer, "else_branch", "q"), "Neg", {"x"}, {"q"});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, -5}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{-2, 2}));
}

/// A graph that a call gives is of the values around the call.
TEST_F(OnnxFunctions, TakeGraphsAsAttributes) {
  Builder b;
  FunctionProto &function = b.function("either", {"condition", "x"}, {"y"});
  for (const char *name : {"yes", "no"})
    function.add_attribute(name);
  addNode(function, "Neg", {"x"}, {"t"});
  NodeProto &branch = addNode(function, "If", {"condition"}, {"u"});
  refer(branch, "then_branch", AttributeProto::GRAPH, "yes");
  refer(branch, "else_branch", AttributeProto::GRAPH, "no");
  addNode(function, "Add", {"t", "u"}, {"y"});
  b.empty("true", {}, TensorProto::BOOL).add_int32_data(1);
  b.node("Exp", {"x"}, {"t"});
  NodeProto &call = b.call("either", {"true", "x"}, {"y"});
  addNode(setGraph(call, "yes", "r"), "Mul", {"t", "t"}, {"r"});
  addNode(setGraph(call, "no", "r"), "Neg", {"t"}, {"r"});
  EXPECT_EQ(numbers(run(b, {}, {{"x", {0, 1}}}).at("y")), (Doubles{1, 6.3891})); // e^2x - x
}

/// As in ONNX Runtime, an operator that is known is no call of a function that has its name.
TEST_F(OnnxFunctions, OfAnOperatorsName) {
  Builder b({"y", "z"});
  for (const char *name : {"Abs", "NonZero"}) {
    FunctionProto &function = b.function(name, {"x"}, {"y"});
    function.set_domain("ai.onnx");
    addNode(function, "Neg", {"x"}, {"y"});
  }
  b.node("Abs", {"x"}, {"y"});
  b.node("NonZero", {"x"}, {"z"});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, 1}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{-1, 1}));
}

TEST_F(OnnxFunctions, StoreTheirTensorsOnce) {
  Builder b({"y", "z"});
  FunctionProto &function = b.function("f", {"x"}, {"y"});
  TensorProto &table = *OnnxBuilder::attribute(addNode(function, "Constant", {}, {"k"}), "value", AttributeProto::TENSOR)
                            .mutable_t();
  table.set_data_type(TensorProto::FLOAT);
  table.add_dims(65);
  for (int i = 0; i < 65; ++i)
    table.add_float_data(i);
  addNode(function, "ReduceMax", {"k"}, {"most"});
  addNode(function, "Add", {"x", "most"}, {"y"});
  b.call("f", {"x"}, {"y"});
  b.call("f", {"y"}, {"z"});
  EXPECT_EQ(numbers(run(b, {}, signs).at("z")), (Doubles{129, 127}));
  std::string text = textOf(b);
  EXPECT_HAS(text, "heddle.weight \"y/k\"");
  EXPECT_EQ(text.find("heddle.weight \"z/k\""), std::string::npos);
}

TEST_F(OnnxFunctions, ThatDoNotFitTheirCalls) {
  auto errorWith = [&](const std::function<void(Builder &, FunctionProto &, NodeProto &)> &change) {
    Builder b;
    FunctionProto &function = b.function("f", {"x"}, {"y"});
    addNode(function, "Neg", {"x"}, {"y"});
    change(b, function, b.call("f", {"x"}, {"y"}));
    return errorOf(b);
  };
  using F = FunctionProto;
  using N = NodeProto;
  EXPECT_HAS(errorWith([](Builder &, F &, N &call) { call.add_input("x"); }),
             "node 'y' calls function 'local.f' with 2 inputs, expected at most 1");
  EXPECT_HAS(errorWith([](Builder &, F &, N &call) { call.add_output("z"); }),
             "node 'y' calls function 'local.f' for 2 outputs, expected at most 1");
  EXPECT_HAS(errorWith([](Builder &, F &, N &call) { call.set_op_type("g"); }),
             "operators that are not supported:\n  g (local 0): node 'y'");
  EXPECT_HAS(errorWith([](Builder &, F &, N &call) { call.clear_input(); }), "input 0 is missing");
  EXPECT_HAS(errorWith([](Builder &b, F &, N &) { b.function("f", {}, {}); }), "has function 'local.f' twice");
  EXPECT_HAS(errorWith([](Builder &b, F &, N &) { b.function("", {}, {}); }), "a function of the model has no name");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { f.add_input("x"); }), "function 'local.f': it has input 'x' twice");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { f.add_input(""); }), "function 'local.f': an input has no name");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { f.add_output("z"); }),
             "function 'local.f': its output 'z' is not computed by any node");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { addNode(f, "Abs", {"y"}, {"x"}); }),
             "function 'local.f': its input 'x' is computed again within it");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { setLater(f, functionDefaults, "\xff"); }),
             "function 'local.f': the default of an attribute cannot be read");
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) {
               addDefault(f, "a", 1);
               addDefault(f, "a", 2);
             }),
             "function 'local.f': it has attribute 'a' twice");
  EXPECT_HAS(errorWith([](Builder &b, F &, N &) {
               refer(b.node("LeakyRelu", {"x"}, {"z"}), "alpha", AttributeProto::FLOAT, "slope");
             }),
             "node 'z': attribute 'alpha' refers to attribute 'slope' of a function, but is in none");
  Builder b; // what a call gives and its function does not know is said
  addNode(b.function("f", {"x"}, {"y"}), "Neg", {"x"}, {"y"});
  OnnxBuilder::set(b.call("f", {"x"}, {"y"}), "a", 1.f);
  EXPECT_TRUE(succeeded(import(b)));
  EXPECT_HAS(context.take(), "node 'y' gives function 'local.f' attribute 'a', which it does not have");
}

TEST_F(OnnxFunctions, WithoutEnd) {
  Builder b;
  addCall(b.function("f", {"x"}, {"y"}), "g", {"x"}, {"y"});
  addCall(b.function("g", {"x"}, {"y"}), "f", {"x"}, {"y"});
  b.call("f", {"x"}, {"y"});
  EXPECT_HAS(errorOf(b), "node 'y/y/y' calls function 'local.f' within itself: 'local.f' calls 'local.g' calls "
                         "'local.f'");

  auto nested = [](int depth, int calls) {
    Builder b;
    for (int i = 0; i < depth; ++i) {
      FunctionProto &function = b.function("f" + std::to_string(i), {"v0"}, {"v" + std::to_string(calls)});
      for (int k = 0; k < calls; ++k) {
        Names from{"v" + std::to_string(k)}, to{"v" + std::to_string(k + 1)};
        if (i + 1 < depth)
          addCall(function, "f" + std::to_string(i + 1), from, to);
        else
          addNode(function, "Neg", from, to);
      }
    }
    b.call("f0", {"x"}, {"y"});
    return b;
  };
  EXPECT_EQ(numbers(run(nested(64, 1), {}, signs).at("y")), (Doubles{-1, 1}));
  EXPECT_HAS(errorOf(nested(65, 1)), "calls function 'local.f64' in more than 64 others");
  EXPECT_HAS(errorOf(nested(40, 2)), "the model's functions make more than 100000 nodes");
}

} // namespace
