//===- onnx_function_errors_test.cpp - functions that are refused ---------===//
//
// The importer replaces each call of a function of an ONNX model by the nodes of the function. It must refuse invalid
// functions and calls, recursion, and calls that would multiply to too many nodes.
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::NodeProto;

namespace {

using Builder = FunctionBuilder;
using Doubles = std::vector<double>;
using Names = OnnxBuilder::Names;
using OnnxFunctionErrors = OnnxTest;

TEST_F(OnnxFunctionErrors, OfDefinitionsAndCalls) {
  // Returns the error for a model that calls the function f, after `change` was applied to the model, f or the call.
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
  EXPECT_HAS(errorWith([](Builder &, F &f, N &) { f.add_input("x"); }), "function 'local.f': input 'x' appears twice");
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
             "function 'local.f': attribute 'a' appears twice");
  EXPECT_HAS(errorWith([](Builder &b, F &, N &) {
               refer(b.node("LeakyRelu", {"x"}, {"z"}), "alpha", AttributeProto::FLOAT, "slope");
             }),
             "node 'z': attribute 'alpha' refers to attribute 'slope' of a function, but is not in a function");
  Builder b; // an attribute that the function does not declare causes only a warning
  addNode(b.function("f", {"x"}, {"y"}), "Neg", {"x"}, {"y"});
  OnnxBuilder::set(b.call("f", {"x"}, {"y"}), "a", 1.f);
  EXPECT_TRUE(succeeded(import(b)));
  EXPECT_HAS(context.take(), "node 'y' gives function 'local.f' attribute 'a', which the function does not declare");
}

TEST_F(OnnxFunctionErrors, OfRecursionAndDeepNesting) {
  Builder b;
  addCall(b.function("f", {"x"}, {"y"}), "g", {"x"}, {"y"});
  addCall(b.function("g", {"x"}, {"y"}), "f", {"x"}, {"y"});
  b.call("f", {"x"}, {"y"});
  EXPECT_HAS(errorOf(b), "node 'y/y/y' calls function 'local.f' within itself: 'local.f' calls 'local.g' calls "
                         "'local.f'");

  // Returns a model with `depth` functions, each of which calls the next one `calls` times.
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
  EXPECT_EQ(numbers(run(nested(64, 1), {}, {{"x", {1, -1}}}).at("y")), (Doubles{-1, 1}));
  EXPECT_HAS(errorOf(nested(65, 1)),
             "calls function 'local.f64' at a depth of more than 64 nested functions and graphs");

  // Each call puts the graph in its attribute `body` into 30 further graphs, so the innermost graph is nested in more
  // than 64 graphs.
  Builder deep;
  FunctionProto &wrap = deep.function("wrap", {"c"}, {"y"});
  wrap.add_attribute("body");
  NodeProto *branch = &addNode(wrap, "If", {"c"}, {"y"});
  for (int i = 0; i < 30; ++i) {
    GraphProto &graph = *OnnxBuilder::attribute(*branch, "then_branch", AttributeProto::GRAPH).mutable_g();
    OnnxBuilder::attribute(*branch, "else_branch", AttributeProto::GRAPH).set_ref_attr_name("body");
    graph.add_output()->set_name("r" + std::to_string(i));
    branch = &addNode(graph, "If", {"c"}, {"r" + std::to_string(i)});
  }
  for (const char *name : {"then_branch", "else_branch"})
    refer(*branch, name, AttributeProto::GRAPH, "body");
  deep.empty("true", {}, onnx::TensorProto::BOOL).add_int32_data(1);
  NodeProto *call = &deep.call("wrap", {"true"}, {"y"});
  for (int i = 0; i < 3; ++i) {
    GraphProto &graph = *OnnxBuilder::attribute(*call, "body", AttributeProto::GRAPH).mutable_g();
    graph.add_output()->set_name("q" + std::to_string(i));
    if (i < 2)
      call = &addCall(graph, "wrap", {"true"}, {"q" + std::to_string(i)});
    else
      addNode(graph, "Neg", {"x"}, {"q2"});
  }
  EXPECT_HAS(errorOf(deep), "in the model's functions, graphs are nested more than 64 deep");

  EXPECT_HAS(errorOf(nested(40, 2)), "the model's functions expand to more than 100000 nodes");
}

} // namespace
