//===- onnx_inputs_test.cpp - inputs that have initializers ---------------===//
//
// An ONNX input with an initializer has a default value. The importer makes the input a constant, unless the user names
// it with --as-input or gives a value for it in the file of inputs.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::TensorProto;

namespace {

using Doubles = std::vector<double>;
using OnnxInputs = OnnxTest;

/// Returns the model y = x w + b, where w and b are inputs that have initializers.
OnnxBuilder product() {
  OnnxBuilder b(17);
  b.input("w", {2, 2});
  b.input("x", {1, 2});
  b.input("b", {2});
  b.floats("w", {2, 2}, {1, 2, 3, 4});
  b.floats("b", {2}, {10, 20});
  b.output("y");
  b.node("MatMul", {"x", "w"}, {"p"});
  b.node("Add", {"p", "b"}, {"y"});
  return b;
}

const std::map<std::string, std::vector<float>> values{{"x", {1, 2}}, {"w", {1, 0, 0, 1}}, {"b", {5, 6}}};

TEST_F(OnnxInputs, WithInitializersAreConstantsByDefault) {
  EXPECT_EQ(numbers(run(product(), {}, values).at("y")), (Doubles{17, 30}));
  EXPECT_HAS(context.take(),
             "inputs that have initializers are constants: 'w', 'b'; --as-input NAME makes one an input");
  OnnxBuilder old = product(); // in IR version 3, each initializer had to be an input as well, so there is no warning
  old.model.set_ir_version(3);
  EXPECT_TRUE(succeeded(import(old)));
  EXPECT_EQ(context.take(), "");
}

TEST_F(OnnxInputs, WithInitializersAreInputsIfNamed) {
  options.asInputs = {"w"};
  EXPECT_EQ(numbers(run(product(), {}, values).at("y")), (Doubles{11, 22}));
  EXPECT_HAS(context.take(), "inputs that have initializers are constants: 'b'; --as-input NAME");
  std::string text = textOf(product()); // the inputs keep the order of the file
  EXPECT_LT(text.find("heddle.name = \"w\""), text.find("heddle.name = \"x\""));
  context.take();
  options.asInputs.clear();
  // `given` contains the names of the tensors in the file of inputs.
  options.given = {"b", "w", "x", "other"};
  EXPECT_EQ(numbers(run(product(), {}, values).at("y")), (Doubles{6, 8}));
  EXPECT_EQ(context.take(), "");
  OnnxBuilder b = product(); // an input without a shape gets the shape of its initializer
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(numbers(run(b, {}, values).at("y")), (Doubles{6, 8}));
}

TEST_F(OnnxInputs, AreRefusedByName) {
  options.asInputs = {"none"};
  std::string path = dir.write("model.onnx", product().model.SerializeAsString());
  heddle::ImportResult result = heddle::importModel(context, path, options);
  EXPECT_TRUE(failed(result));
  EXPECT_TRUE(result.wrongUsage);
  EXPECT_HAS(context.take(), "--as-input none: no input of the model has this name");
  OnnxBuilder b(17); // the value of this input is needed at import
  b.input("x", {2});
  b.input("shape", {2}, TensorProto::INT64);
  b.ints("shape", {2}, {1, 2});
  b.output("y");
  b.node("Reshape", {"x", "shape"}, {"y"});
  options.asInputs = {};
  EXPECT_TRUE(succeeded(import(b)));
  context.take();
  options.given = {"shape"};
  std::string error = errorOf(b);
  EXPECT_HAS(error, "must be known at import, but 'shape' depends on the model's inputs");
  EXPECT_HAS(error,
             "'shape' has an initializer, and is an input because --as-input or the file of inputs contains its name");
}

} // namespace
