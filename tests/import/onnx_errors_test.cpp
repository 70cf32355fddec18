//===- onnx_errors_test.cpp - invalid ONNX files --------------------------===//
//
// For each kind of invalid or unsupported file, the importer must emit an error that names the node, the input or the
// tensor. It must not allocate memory for a size that a file declares without containing data of this size.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::AttributeProto;
using onnx::TensorProto;

namespace {

using OnnxErrors = OnnxTest;

/// Returns the model y = Relu(x) with x [2, 3].
OnnxBuilder relu() {
  OnnxBuilder b;
  b.input("x", {2, 3});
  b.output("y");
  b.node("Relu", {"x"}, {"y"}).set_name("relu");
  return b;
}

TEST_F(OnnxErrors, FilesThatAreNoValidModels) {
  auto errorOfFile = [&](llvm::StringRef text) {
    EXPECT_TRUE(failed(heddle::importModel(context, dir.write("model.onnx", text), options)));
    return context.take();
  };
  EXPECT_HAS(errorOfFile(""), "the file is empty");
  EXPECT_HAS(errorOfFile("no protobuf at all"), "the protobuf message is incomplete or malformed");
  std::string whole = relu().model.SerializeAsString();
  EXPECT_HAS(errorOfFile(llvm::StringRef(whole).drop_back(3)), "the protobuf message is incomplete or malformed");

  OnnxBuilder b = relu();
  b.model.clear_graph();
  EXPECT_HAS(errorOf(b), "not an ONNX model: it has no graph");
  b = relu();
  b.model.clear_opset_import();
  EXPECT_HAS(errorOf(b), "does not declare the version of the standard operators");
  b = relu();
  b.graph().clear_output();
  EXPECT_HAS(errorOf(b), "the model has no outputs");
  b = relu();
  b.model.mutable_opset_import(0)->set_version(6);
  EXPECT_HAS(errorOf(b), "opset 6 is not supported; versions 7 to 28 are");
  b.model.mutable_opset_import(0)->set_version(1000);
  EXPECT_HAS(errorOf(b), "opset 1000 is not supported");
}

TEST_F(OnnxErrors, InvalidInputsAndOutputs) {
  OnnxBuilder b = relu();
  b.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_HAS(errorOf(b), "input 'x' is not a tensor");
  b = relu();
  OnnxBuilder::setPort(*b.graph().mutable_input(0), "x", TensorProto::STRING, {2});
  EXPECT_HAS(errorOf(b), "input 'x' has element type STRING, which is not supported");
  b = OnnxBuilder();
  b.input("x", {2, -3});
  b.output("x");
  EXPECT_HAS(errorOf(b), "input 'x' has a dimension of size -3");
  b = OnnxBuilder();
  b.input("x", {int64_t(1) << 40, int64_t(1) << 40});
  b.output("x");
  EXPECT_HAS(errorOf(b), "input 'x' has shape [1099511627776x1099511627776]: a tensor may have at most");
  b = relu();
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_HAS(errorOf(b), "input 'x' has no shape");
  b = relu();
  b.input("x", {1});
  EXPECT_HAS(errorOf(b), "two inputs have the same name 'x'");
  b = relu();
  b.output("z");
  EXPECT_HAS(errorOf(b), "output 'z' is not computed by any node");
  b = relu();
  b.output("y");
  EXPECT_HAS(errorOf(b), "output 'y' appears twice");
  b = relu();
  b.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT64);
  EXPECT_HAS(errorOf(b), "output 'y' is declared with elements of 'i64', but its node computes [2x3] of f32");
  b = relu();
  OnnxBuilder::setPort(*b.graph().mutable_output(0), "y", TensorProto::FLOAT, {3, 2});
  EXPECT_HAS(errorOf(b), "output 'y' is declared with another shape than [2x3]");
}

/// A dimension without a size gets the name in the file, or else the name of the input and the index of the dimension.
TEST_F(OnnxErrors, MissingAndUnknownSizes) {
  OnnxBuilder b = relu();
  auto *shape = b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("batch");
  shape->mutable_dim(1)->Clear();
  heddle::ImportResult result =
      heddle::importModel(context, dir.write("model.onnx", b.model.SerializeAsString()), options);
  ASSERT_TRUE(failed(result));
  EXPECT_EQ(result.openDims.size(), 2u);
  EXPECT_TRUE(result.wrongUsage);
  EXPECT_HAS(context.take(),
             "the model leaves sizes open: batch, x.1; give them, for example --dim batch=1 --dim x.1=16");
  options.dims = {{"batch", 4}, {"x.1", 5}};
  EXPECT_HAS(textOf(b), "tensor<4x5xf32> {heddle.dims = [\"batch\", \"x.1\"], heddle.name = \"x\"}");
  options.dims["none"] = 3;
  EXPECT_HAS(errorOf(b), "the model has no dimension 'none'; its dimensions are batch, x.1");
}

TEST_F(OnnxErrors, InvalidInitializers) {
  // Returns the error for an initializer w [2, 2] to which `change` was applied.
  auto errorOfTensor = [&](auto change) {
    OnnxBuilder b = relu();
    change(b.floats("w", {2, 2}, {1, 2, 3, 4}));
    return errorOf(b);
  };
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_dims(0, -1); }),
             "initializer 'w': shape [-1x2] has a negative extent, or too many elements or dimensions");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_dims(0, int64_t(1) << 62); }),
             "has a negative extent, or too many elements or dimensions");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_dims(0, 1 << 30); }), "16 bytes of data, expected 8589934592");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_raw_data("123"); }),
             "3 bytes of data, expected 16 for shape [2x2] of FLOAT");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_data_type(TensorProto::COMPLEX64); }),
             "element type COMPLEX64 is not supported");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.set_data_type(77); }), "element type number 77 is not supported");
  for (auto later : {std::pair(17, "FLOAT8E4M3FN"), std::pair(23, "FLOAT4E2M1"), std::pair(26, "INT2")})
    EXPECT_HAS(errorOfTensor([&](TensorProto &t) { t.set_data_type(later.first); }),
               "element type " + std::string(later.second) + " is not supported");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.mutable_segment()->set_begin(1); }), "tensors in segments");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) { t.clear_name(); }), "an initializer has no name");
  EXPECT_HAS(errorOfTensor([](TensorProto &t) {
               t.set_data_type(TensorProto::BOOL);
               t.set_raw_data(std::string("\0\1\2\0", 4));
             }),
             "initializer 'w': a BOOL element is neither 0 nor 1");
  OnnxBuilder b = relu();
  b.floats("w", {1}, {1});
  b.floats("w", {1}, {1});
  EXPECT_HAS(errorOf(b), "initializer 'w' appears twice");
}

/// One error lists all unsupported operators, even if sizes are dynamic, or if earlier nodes have other errors.
TEST_F(OnnxErrors, ListAllUnsupportedOperators) {
  OnnxBuilder b = relu();
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "n");
  b.graph().mutable_node(0)->set_op_type("Hardmax");
  for (const char *name : {"a", "b", "c", "d", "e"})
    b.node("NonZero", {"x"}, {name});
  b.node("Relu", {"nowhere"}, {"f"});
  b.node("Hardmax", {"x"}, {"g"});
  b.node("Loop", {"x"}, {"h"});
  EXPECT_EQ(errorOf(b), "operators that are not supported:\n"
                        "  Hardmax (opset 17): 2 nodes: 'relu', 'g'\n"
                        "  NonZero (opset 17): 5 nodes: 'a', 'b', 'c' and 2 more\n"
                        "  Loop (opset 17): node 'h'\n");
}

TEST_F(OnnxErrors, InvalidNodes) {
  OnnxBuilder b = relu();
  b.graph().mutable_node(0)->set_op_type("NonMaxSuppression");
  EXPECT_EQ(errorOf(b), "operators that are not supported:\n  NonMaxSuppression (opset 17): node 'relu'\n");
  b = relu();
  b.graph().mutable_node(0)->set_domain("com.microsoft");
  b.graph().mutable_node(0)->set_op_type("Sampling");
  EXPECT_EQ(errorOf(b), "operators that are not supported:\n  Sampling (com.microsoft 0): node 'relu'\n");
  b = relu();
  b.graph().mutable_node(0)->set_op_type("Gelu");
  EXPECT_EQ(errorOf(b), "operators that are not supported:\n"
                        "  Gelu (opset 17), which exists since opset 20: node 'relu'\n");
  b = relu();
  b.graph().mutable_node(0)->add_input("x");
  EXPECT_HAS(errorOf(b), "expected at most 1 inputs, found 2");
  b = relu();
  b.graph().mutable_node(0)->set_input(0, "");
  EXPECT_HAS(errorOf(b), "input 0 is missing; the number of required inputs is 1");
  b = relu();
  b.graph().mutable_node(0)->set_input(0, "y"); // a cycle
  EXPECT_HAS(errorOf(b), "input 'y' is defined nowhere before this node (missing, out of order, or a cycle)");
  b = relu();
  b.node("Relu", {"x"}, {"y"});
  EXPECT_HAS(errorOf(b), "output 'y' has the name of an earlier value");
  b = relu();
  b.node("Relu", {"y"}, {"x"});
  EXPECT_HAS(errorOf(b), "output 'x' has the name of an earlier value");
  b = relu();
  b.graph().mutable_node(0)->add_output("more");
  EXPECT_HAS(errorOf(b), "output 1 ('more') is not supported");
  b = relu();
  b.graph().mutable_node(0)->clear_output();
  EXPECT_HAS(errorOf(b), "the node has no outputs");
}

TEST_F(OnnxErrors, TensorsThatAreTooLargeOrEmpty) {
  OnnxBuilder b = relu();
  b.ints("step", {}, {1});
  for (int64_t i = 0; i < 100; ++i) {
    std::string name = std::to_string(i);
    b.ints("from" + name, {}, {i});
    b.ints("to" + name, {}, {i + (1 << 20)});
    b.node("Range", {"from" + name, "to" + name, "step"}, {"range" + name});
  }
  EXPECT_HAS(errorOf(b), "(Range, opset 17): the constants computed so far take more than 256 MiB");

  b = relu();
  b.ints("from", {}, {INT64_MIN});
  b.ints("to", {}, {INT64_MAX});
  b.ints("step", {}, {1});
  b.node("Range", {"from", "to", "step"}, {"range"});
  EXPECT_HAS(errorOf(b), "delta is zero, or the number of elements is too large or not finite");

  b = relu();
  b.floats("from", {}, {5});
  b.floats("to", {}, {1});
  b.floats("step", {}, {0});
  b.node("Range", {"from", "to", "step"}, {"range"});
  EXPECT_HAS(errorOf(b), "delta is zero, or the number of elements is too large or not finite");

  b = relu(); // the result of each Gather has the rank 2 r - 1, if r is the rank of its operands
  b.ints("r0", {1, 1}, {0});
  for (int i = 0; i < 10; ++i)
    b.node("Gather", {"r" + std::to_string(i), "r" + std::to_string(i)}, {"r" + std::to_string(i + 1)});
  EXPECT_HAS(errorOf(b), "has more than 32 dimensions");

  b = OnnxBuilder();
  b.input("x", {4});
  b.ints("none", {1}, {0});
  b.output("y");
  b.node("Slice", {"x", "none", "none"}, {"y"});
  EXPECT_HAS(errorOf(b), "output 'y' is empty: [0] of f32");
  b.graph().mutable_node(0)->set_output(0, "nothing");
  OnnxBuilder::set(b.node("Concat", {"x", "nothing"}, {"y"}), "axis", int64_t(0));
  EXPECT_HAS(textOf(b), "return %arg0");
  b.graph().mutable_node(1)->Clear();
  b.graph().mutable_node(1)->set_op_type("ReduceMax");
  b.graph().mutable_node(1)->add_input("nothing");
  b.graph().mutable_node(1)->add_output("y");
  EXPECT_HAS(errorOf(b), "an operand without elements is not supported");
}

TEST_F(OnnxErrors, InvalidAttributes) {
  OnnxBuilder b = relu();
  OnnxBuilder::set(*b.graph().mutable_node(0), "alpha", int64_t(1));
  EXPECT_HAS(errorOf(b), "attribute 'alpha' is not known for this operator version");
  b = relu();
  onnx::NodeProto &node = *b.graph().mutable_node(0);
  node.set_op_type("Elu");
  OnnxBuilder::set(node, "alpha", int64_t(1));
  EXPECT_HAS(errorOf(b), "attribute 'alpha' has the wrong type: expected a float, found an int");
  OnnxBuilder::set(node, "alpha", 1.0f);
  EXPECT_HAS(errorOf(b), "node 'relu' has attribute 'alpha' twice");
}

TEST_F(OnnxErrors, WrongShapesAndTypes) {
  // Returns the error for a model whose only node was changed by `change`.
  auto errorOfNode = [&](const std::string &op, const OnnxBuilder::Names &inputs, auto change) {
    OnnxBuilder b;
    b.input("x", {2, 3});
    b.input("i", {2}, TensorProto::INT64);
    b.ints("zero", {1}, {0});
    b.ints("huge", {2}, {int64_t(1) << 40, int64_t(1) << 40});
    b.output("y");
    change(b.node(op, inputs, {"y"}));
    return errorOf(b);
  };
  auto plain = [](onnx::NodeProto &) {};
  EXPECT_HAS(errorOfNode("Add", {"x", "i"}, plain),
             "operands must have the same element type, found [2x3] of f32 and [2]");
  EXPECT_HAS(errorOfNode("MatMul", {"x", "x"}, plain), "shapes do not fit: [2x3] of f32 times [2x3] of f32");
  EXPECT_HAS(errorOfNode("Div", {"i", "zero"}, plain), "integer division by zero");
  EXPECT_HAS(errorOfNode("Div", {"i", "i"}, plain), "integer division by a value that is not known at import");
  EXPECT_HAS(errorOfNode("Sqrt", {"i"}, plain), "expected floating-point elements, found [2] of i64");
  EXPECT_HAS(errorOfNode("Not", {"x"}, plain), "expected bool elements, found [2x3] of f32");
  EXPECT_HAS(errorOfNode("Reshape", {"x", "i"}, plain),
             "the shape must be known at import, but 'i' depends on the model's inputs");
  EXPECT_HAS(errorOfNode("Reshape", {"x", "huge"}, plain), "cannot have shape");
  EXPECT_HAS(errorOfNode("Expand", {"x", "huge"}, plain), "has too many elements");
  EXPECT_HAS(errorOfNode("ConstantOfShape", {"huge"}, plain), "has too many elements");
  EXPECT_HAS(errorOfNode("Tile", {"x", "huge"}, plain), "do not fit [2x3] of f32");
  EXPECT_HAS(errorOfNode("Softmax", {"x"}, [](onnx::NodeProto &n) { OnnxBuilder::set(n, "axis", int64_t(2)); }),
             "axis 2 is out of range for rank 2");
  EXPECT_HAS(
      errorOfNode("Transpose", {"x"}, [](onnx::NodeProto &n) { OnnxBuilder::set(n, "perm", OnnxBuilder::Dims{0, 0}); }),
      "perm [0x0] is not a permutation of 2 dimensions");
  EXPECT_HAS(errorOfNode("Cast", {"x"}, [](onnx::NodeProto &n) { OnnxBuilder::set(n, "to", int64_t(8)); }),
             "casts to STRING are not supported");
}

} // namespace
