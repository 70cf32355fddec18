//===- onnx_functions_test.cpp - functions of ONNX models -----------------===//
//
// The importer replaces each call of a function of an ONNX model by the nodes of the function. The tests compare the
// results of the interpreter with numbers that are easy to compute.
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Builder = FunctionBuilder;
using Doubles = std::vector<double>;
using Names = OnnxBuilder::Names;
using OnnxFunctions = OnnxTest;

/// Adds the function leaky(x), which is LeakyRelu(x); its attribute "slope" is the alpha of LeakyRelu.
FunctionProto &addLeaky(Builder &b) {
  FunctionProto &leaky = b.function("leaky", {"x"}, {"y"});
  refer(addNode(leaky, "LeakyRelu", {"x"}, {"y"}), "alpha", AttributeProto::FLOAT, "slope");
  return leaky;
}

const std::map<std::string, std::vector<float>> signs{{"x", {1, -1}}}; // the inputs of most tests

TEST_F(OnnxFunctions, PassAttributesToTheirNodes) {
  Builder b;
  addLeaky(b).add_attribute("slope");
  OnnxBuilder::set(b.call("leaky", {"x"}, {"y"}), "slope", 0.5f);
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{1, -0.5}));

  // If neither the call nor the function specifies a value, the operator LeakyRelu uses its own default.
  b = Builder();
  addLeaky(b).add_attribute("slope");
  b.call("leaky", {"x"}, {"y"});
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{1, -0.01}));

  // If the call specifies no value, the default of the function is used.
  b = Builder({"y", "z"});
  addDefault(addLeaky(b), "slope", 0.25f);
  b.call("leaky", {"x"}, {"y"});
  OnnxBuilder::set(b.call("leaky", {"x"}, {"z"}), "slope", 3.f);
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, -0.25}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{1, -3}));
}

TEST_F(OnnxFunctions, PassAttributesToFunctionsThatTheyCall) {
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

TEST_F(OnnxFunctions, MayBeCalledWithoutSomeInputsAndOutputs) {
  Builder b({"y", "z"});
  FunctionProto &clip = b.function("clip", {"x", "low", "high"}, {"y", "none", "low_too"});
  addNode(clip, "Clip", {"x", "low", "high"}, {"y"});
  addNode(clip, "NonZero", {"x"}, {"none"}); // an unsupported operator whose result no call uses
  addNode(clip, "Neg", {"low"}, {"low_too"});
  b.floats("zero", {}, {0});
  b.floats("half", {}, {0.5});
  b.call("clip", {"x", "zero"}, {"y"});
  b.call("clip", {"x", "", "half"}, {"z", "", ""});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("y")), (Doubles{1, 0}));
  EXPECT_EQ(numbers(results.at("z")), (Doubles{0.5, -1}));
}

TEST_F(OnnxFunctions, MayReturnInputsAndAValueTwice) {
  Builder b({"a", "b", "c"});
  FunctionProto &function = b.function("f", {"x"}, {"x", "y", "y"});
  addNode(function, "Neg", {"x"}, {"y"});
  b.call("f", {"x"}, {"a", "b", "c"});
  auto results = run(b, {}, signs);
  EXPECT_EQ(numbers(results.at("a")), (Doubles{1, -1}));
  EXPECT_EQ(numbers(results.at("b")), (Doubles{-1, 1}));
  EXPECT_EQ(numbers(results.at("c")), (Doubles{-1, 1}));
}

TEST_F(OnnxFunctions, AreSelectedByOverload) {
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
  EXPECT_HAS(errorOf(b), "node 'v' calls function 'local.f:c', which the model does not contain");
}

/// Up to opset 12, Softmax normalises all dimensions from axis 1 on together; since opset 13, it normalises only the
/// last one.
TEST_F(OnnxFunctions, UseTheirOwnOpset) {
  auto softmax = [&](int64_t opset) {
    Builder b;
    b.graph().clear_input();
    b.input("x", {1, 2, 1});
    addNode(b.function("f", {"x"}, {"y"}, opset), "Softmax", {"x"}, {"y"});
    b.call("f", {"x"}, {"y"});
    return b;
  };
  std::map<std::string, std::vector<float>> equal{{"x", {1, 1}}};
  EXPECT_EQ(numbers(run(softmax(11), {}, equal).at("y")), (Doubles{0.5, 0.5}));
  EXPECT_EQ(numbers(run(softmax(18), {}, equal).at("y")), (Doubles{1, 1}));
  EXPECT_HAS(errorOf(softmax(6)),
             "node 'y/y' (Softmax): the function that contains this node uses opset 6, which is not supported");
  Builder b = softmax(11);
  b.model.mutable_functions(0)->clear_opset_import();
  EXPECT_HAS(errorOf(b), "node 'y/y' (Softmax): the function that contains this node does not declare the version of "
                         "the standard operators");
}

/// The main graph and the function both contain values a, x, t and y. The importer renames values of a call to
/// CALL/VALUE, and must avoid names that the main graph contains, such as once/t.
TEST_F(OnnxFunctions, HaveTheirOwnNamesOfValues) {
  Builder b({"y"});
  FunctionProto &function = b.function("f", {"a", "x"}, {"y"});
  addNode(function, "Sub", {"x", "a"}, {"t"}); // the call passes x as a, and a as x
  addNode(function, "Mul", {"t", "t"}, {"y"});
  b.node("Neg", {"x"}, {"a"});
  b.node("Identity", {"x"}, {"t"});
  b.node("Identity", {"x"}, {"once/t"});
  b.call("f", {"x", "a"}, {"once"}).set_name("once");
  b.call("f", {"once", "t"}, {"twice"}).set_name("once");
  b.node("Add", {"twice", "once/t"}, {"y"});
  // For x = 1 and x = -1: once = (-x - x)^2 = 4, twice = (x - once)^2 = 9 and 25, and y = twice + x.
  EXPECT_EQ(numbers(run(b, {}, signs).at("y")), (Doubles{10, 24}));

  // A function cannot use values of the graph that calls it.
  b = Builder();
  addNode(b.function("f", {"x"}, {"y"}), "Add", {"x", "k"}, {"y"});
  b.node("Neg", {"x"}, {"k"});
  b.node("Neg", {"x"}, {"y/k"});
  b.call("f", {"x"}, {"y"});
  EXPECT_HAS(errorOf(b), "node 'y/y' (Add, opset 18): input 'y/k.1' is defined nowhere before this node");
}

/// Adds a graph with one output as an attribute of the node.
GraphProto &setGraph(NodeProto &node, const std::string &attribute, const std::string &output) {
  GraphProto &graph = *OnnxBuilder::attribute(node, attribute, AttributeProto::GRAPH).mutable_g();
  graph.add_output()->set_name(output);
  return graph;
}

TEST_F(OnnxFunctions, MayBeCalledInGraphsAndContainGraphs) {
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

/// A graph that a call passes as an attribute uses values of the caller, not of the function.
TEST_F(OnnxFunctions, MayHaveGraphsAsAttributes) {
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

/// As in ONNX Runtime, a function of the model does not replace a supported operator of the same name. Only a node
/// whose operator is not supported is a call of the function.
TEST_F(OnnxFunctions, DoNotReplaceSupportedOperators) {
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

/// If a constant of a function has more than 64 elements, it becomes a weight. The weight is named after the first
/// call, y, and the second call uses it, too.
TEST_F(OnnxFunctions, StoreTheirTensorsOnceForAllCalls) {
  Builder b({"y", "z"});
  FunctionProto &function = b.function("f", {"x"}, {"y"});
  TensorProto &table =
      *OnnxBuilder::attribute(addNode(function, "Constant", {}, {"k"}), "value", AttributeProto::TENSOR).mutable_t();
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

} // namespace
