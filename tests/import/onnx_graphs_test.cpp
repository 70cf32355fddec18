//===- onnx_graphs_test.cpp - nodes with graphs: Scan, If, FlexAttention --===//
//
// Some ONNX operators have graphs as attributes. The importer inserts the nodes of these graphs into the main graph:
// once for each step of a Scan, for the branch that an If selects, and for the functions that a FlexAttention applies.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;

namespace {

using Dims = OnnxBuilder::Dims;
using Doubles = std::vector<double>;
using Names = OnnxBuilder::Names;
using OnnxGraphs = OnnxTest;

/// Adds a graph without nodes as the attribute `name` of the node.
GraphProto &setGraph(NodeProto &node, const std::string &name, const Names &inputs, const Names &outputs) {
  GraphProto &graph = *OnnxBuilder::attribute(node, name, AttributeProto::GRAPH).mutable_g();
  for (const std::string &input : inputs)
    graph.add_input()->set_name(input);
  for (const std::string &output : outputs)
    graph.add_output()->set_name(output);
  return graph;
}

/// Adds a node with one output to the graph.
void addNode(GraphProto &graph, const std::string &op, const Names &inputs, const std::string &output) {
  NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  node.add_output(output);
}

/// Returns a model with a Scan that has a state s [2], whose initial value is the input `start`. For each row x of the
/// input `xs` [3, 2], the Scan computes s += x and the output s * s.
OnnxBuilder sums(const std::function<void(NodeProto &)> &change = {}) {
  OnnxBuilder b(17);
  b.input("start", {2});
  b.input("xs", {3, 2});
  b.output("end");
  b.output("squares");
  NodeProto &node = b.node("Scan", {"start", "xs"}, {"end", "squares"});
  OnnxBuilder::set(node, "num_scan_inputs", int64_t(1));
  GraphProto &body = setGraph(node, "body", {"s", "x"}, {"s1", "square"});
  addNode(body, "Add", {"s", "x"}, "s1");
  addNode(body, "Mul", {"s1", "s1"}, "square");
  if (change)
    change(node);
  return b;
}

TEST_F(OnnxGraphs, ScanIsUnrolled) {
  std::map<std::string, std::vector<float>> floats{{"start", {0, 10}}, {"xs", {1, 2, 3, 4, 5, 6}}};
  auto results = run(sums(), {}, floats);
  EXPECT_EQ(numbers(results.at("end")), (Doubles{9, 22}));
  EXPECT_EQ(numbers(results.at("squares")), (Doubles{1, 144, 16, 256, 81, 484}));
  auto backwards = [](NodeProto &node) {
    OnnxBuilder::set(node, "scan_input_directions", Dims{1});
    OnnxBuilder::set(node, "scan_output_directions", Dims{1});
    OnnxBuilder::set(node, "scan_output_axes", Dims{-1});
  };
  results = run(sums(backwards), {}, floats);
  EXPECT_EQ(numbers(results.at("squares")), (Doubles{81, 64, 25, 484, 400, 256}));
}

TEST_F(OnnxGraphs, RefusesInvalidScans) {
  auto errorWith = [&](const std::function<void(NodeProto &)> &change) { return errorOf(sums(change)); };
  auto list = [](const char *name, const Dims &values) {
    return [=](NodeProto &node) { OnnxBuilder::set(node, name, values); };
  };
  EXPECT_HAS(errorWith(list("scan_input_axes", {0, 0})), "scan_input_axes has 2 elements, expected 1");
  EXPECT_HAS(errorWith(list("scan_input_axes", {2})), "axis 2 is out of range for rank 2");
  EXPECT_HAS(errorWith(list("scan_output_directions", {2})), "a direction is 2, expected 0 or 1");
  EXPECT_HAS(errorWith([](NodeProto &node) { node.mutable_attribute(0)->set_i(3); }),
             "num_scan_inputs is 3, expected 1 to 2");
  EXPECT_HAS(errorWith([](NodeProto &node) { node.mutable_attribute()->RemoveLast(); }), "'body' is missing");
  EXPECT_HAS(errorWith([](NodeProto &node) { node.mutable_attribute(1)->mutable_g()->add_input()->set_name("z"); }),
             "expected a graph 'body' with 2 inputs and 2 outputs, found 3 and 2");
  EXPECT_HAS(errorWith([](NodeProto &node) {
               node.mutable_attribute(1)->mutable_g()->mutable_output(0)->set_name("square2");
             }),
             "has an output 'square2' that no node computes");
  EXPECT_HAS(errorWith([](NodeProto &node) {
               NodeProto &inner = *node.mutable_attribute(1)->mutable_g()->mutable_node(1);
               inner.set_op_type("Loop");
             }),
             "operators that are not supported:\n  Loop (opset 17)");
  EXPECT_HAS(
      errorWith([](NodeProto &node) { node.mutable_attribute(1)->mutable_g()->mutable_input(0)->set_name("xs"); }),
      "has an input 'xs' that has the name of an earlier value");
  OnnxBuilder b = sums();
  b.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(65);
  EXPECT_HAS(errorOf(b), "65 steps are not supported, expected 1 to 64");
}

TEST_F(OnnxGraphs, BodiesUseOuterValuesAndStoreTheirWeightsOnce) {
  OnnxBuilder b = sums();
  b.floats("outer", {1}, {100});
  GraphProto &body = *b.graph().mutable_node(0)->mutable_attribute(1)->mutable_g();
  TensorProto &large = *body.add_initializer();
  large.set_name("large");
  large.set_data_type(TensorProto::FLOAT);
  large.add_dims(65);
  for (int i = 0; i < 65; ++i)
    large.add_float_data(i);
  addNode(body, "ReduceMax", {"large"}, "most"); // 64
  addNode(body, "Add", {"most", "outer"}, "more");
  addNode(body, "Sub", {"square", "more"}, "rest");
  body.mutable_output(1)->set_name("rest");
  auto results = run(b, {}, {{"start", {0, 10}}, {"xs", {1, 2, 3, 4, 5, 6}}});
  EXPECT_EQ(numbers(results.at("squares")), (Doubles{-163, -20, -148, 92, -83, 320}));
  std::string text = textOf(b);
  EXPECT_HAS(text, "heddle.weight \"end/large\"");
}

/// Returns a model with an If. Its result y is 2 x if x [extent] has more than two elements, and -x otherwise.
OnnxBuilder branches(int64_t extent) {
  OnnxBuilder b(17);
  b.input("x", {extent});
  b.output("y");
  b.ints("two", {}, {2});
  b.node("Size", {"x"}, {"size"});
  b.node("Greater", {"size", "two"}, {"isLong"});
  NodeProto &node = b.node("If", {"isLong"}, {"y"});
  addNode(setGraph(node, "then_branch", {}, {"then"}), "Add", {"x", "x"}, "then");
  addNode(setGraph(node, "else_branch", {}, {"else"}), "Neg", {"x"}, "else");
  return b;
}

TEST_F(OnnxGraphs, IfNeedsAConstantCondition) {
  EXPECT_EQ(numbers(run(branches(2)).at("y")), (Doubles{-1, -2}));
  EXPECT_EQ(numbers(run(branches(3)).at("y")), (Doubles{2, 4, 6}));
  EXPECT_EQ(textOf(branches(3)).find("negf"), std::string::npos);
  OnnxBuilder b = branches(2);
  b.input("condition", {}, TensorProto::BOOL);
  b.graph().mutable_node(2)->set_input(0, "condition");
  EXPECT_HAS(errorOf(b), "the condition must be known at import, but 'condition' depends on the model's inputs");
  b = branches(2);
  b.graph().mutable_node(2)->mutable_attribute()->RemoveLast();
  EXPECT_HAS(errorOf(b), "expected the graphs 'then_branch' and 'else_branch'");
  b = branches(2);
  b.graph().mutable_node(2)->set_input(0, "size");
  EXPECT_HAS(errorOf(b), "expected bool elements, found [] of i64");
}

/// Returns a model with a small FlexAttention, whose values have the shape `value`. The node applies the operator
/// `score` to the scores and `weight` to the attention probabilities, with 2 as the second operand; null means no
/// operator.
OnnxBuilder flex(const char *score, const char *weight = nullptr, const Dims &value = {1, 2, 3, 4}) {
  OnnxBuilder b(26);
  auto *domain = b.model.add_opset_import();
  domain->set_domain("ai.onnx.preview");
  domain->set_version(1);
  b.input("q", {1, 2, 2, 4});
  b.input("k", {1, 2, 3, 4});
  b.input("v", value);
  b.output("y");
  NodeProto &node = b.node("FlexAttention", {"q", "k", "v"}, {"y"});
  node.set_domain("ai.onnx.preview");
  for (auto [name, op] : {std::pair("score_mod", score), std::pair("prob_mod", weight)}) {
    if (!op)
      continue;
    GraphProto &graph = setGraph(node, name, {"in"}, {"out"});
    TensorProto &two = *graph.add_initializer();
    two.set_name("two");
    two.set_data_type(TensorProto::FLOAT);
    two.add_float_data(2);
    addNode(graph, op, {"in", "two"}, "out");
  }
  return b;
}

TEST_F(OnnxGraphs, FlexAttentionIsOneOperationOrDecomposed) {
  EXPECT_HAS(textOf(flex(nullptr)), "heddle.attention %arg0, %arg1, %arg2 scale(0.5) empty_row(nan)");
  std::string text = textOf(flex("Pow", "Mul"));
  EXPECT_HAS(text, "linalg.softmax");
  EXPECT_LT(text.find("linalg.batch_matmul"), text.find("linalg.softmax"));
  // All attention probabilities are 1/3, and `Mul` doubles them.
  std::vector<float> value(24, 6);
  auto results = run(flex("Sub", "Mul"), {}, {{"q", std::vector<float>(16)}, {"v", value}});
  EXPECT_EQ(numbers(results.at("y")), Doubles(16, 12));
}

TEST_F(OnnxGraphs, RefusesInvalidFlexAttention) {
  EXPECT_HAS(errorOf(flex(nullptr, nullptr, {1, 2, 4, 4})),
             "do not fit each other: [1x2x2x4], [1x2x3x4] and [1x2x4x4]");
  EXPECT_HAS(errorOf(flex(nullptr, nullptr, {2, 3, 4})), "of 4 dimensions, found [2x3x4] of f32");
  EXPECT_HAS(errorOf(flex("Greater")), "expected score_mod to yield [1x2x2x3] of f32, found [1x2x2x3] of i1");
  OnnxBuilder b = flex(nullptr);
  b.model.mutable_opset_import(1)->set_version(2);
  EXPECT_HAS(errorOf(b), "FlexAttention (ai.onnx.preview 2), which is supported up to version 1");
  b.model.mutable_opset_import()->RemoveLast();
  EXPECT_HAS(errorOf(b), "FlexAttention (ai.onnx.preview 0), which exists since opset 1");
}

} // namespace
