//===- OnnxBuilder.h - small ONNX models for tests --------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_ONNXBUILDER_H
#define HEDDLE_TESTS_IMPORT_ONNXBUILDER_H

#include "Diagnostics.h"
#include "ExpectHas.h"
#include "Reference.h"
#include "TempDir.h"

#include <onnx/onnx_pb.h>

/// Builds an ONNX model. All members are public, so that tests can make the model invalid.
struct OnnxBuilder {
  using Dims = std::vector<int64_t>;
  using Names = std::vector<std::string>;
  onnx::ModelProto model;

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  explicit OnnxBuilder(int64_t opset = 17) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
  }

  /// Sets the name, the element type and the shape of an input or output. `type` is a TensorProto::DataType.
  static void setPort(onnx::ValueInfoProto &port, const std::string &name, int32_t type, const Dims &dims) {
    port.set_name(name);
    auto &tensor = *port.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (int64_t dim : dims)
      tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  }
  onnx::ValueInfoProto &input(const std::string &name, const Dims &dims, int32_t type = onnx::TensorProto::FLOAT) {
    setPort(*graph().add_input(), name, type, dims);
    return *graph().mutable_input(graph().input_size() - 1);
  }
  /// Adds an output without a shape, so that its value may have any shape.
  onnx::ValueInfoProto &output(const std::string &name, int32_t type = onnx::TensorProto::FLOAT) {
    onnx::ValueInfoProto &port = *graph().add_output();
    port.set_name(name);
    port.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return port;
  }

  /// Appends a node to the graph. An input or output whose name is "" is omitted.
  onnx::NodeProto &node(const std::string &op, const Names &inputs, const Names &outputs) {
    onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    for (const std::string &name : inputs)
      node.add_input(name);
    for (const std::string &name : outputs)
      node.add_output(name);
    return node;
  }

  static onnx::AttributeProto &attribute(onnx::NodeProto &node, const std::string &name,
                                         onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }
  static void set(onnx::NodeProto &node, const std::string &name, int64_t value) {
    attribute(node, name, onnx::AttributeProto::INT).set_i(value);
  }
  static void set(onnx::NodeProto &node, const std::string &name, float value) {
    attribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
  }
  static void set(onnx::NodeProto &node, const std::string &name, const char *value) {
    attribute(node, name, onnx::AttributeProto::STRING).set_s(value);
  }
  static void set(onnx::NodeProto &node, const std::string &name, const Dims &values) {
    auto &target = attribute(node, name, onnx::AttributeProto::INTS);
    for (int64_t value : values)
      target.add_ints(value);
  }

  // The next three functions add an initializer, a constant of the file. `empty` adds one without data.
  onnx::TensorProto &floats(const std::string &name, const Dims &dims, const std::vector<float> &values) {
    onnx::TensorProto &tensor = empty(name, dims, onnx::TensorProto::FLOAT);
    for (float value : values)
      tensor.add_float_data(value);
    return tensor;
  }
  onnx::TensorProto &ints(const std::string &name, const Dims &dims, const std::vector<int64_t> &values) {
    onnx::TensorProto &tensor = empty(name, dims, onnx::TensorProto::INT64);
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return tensor;
  }
  onnx::TensorProto &empty(const std::string &name, const Dims &dims, int32_t type) {
    onnx::TensorProto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t dim : dims)
      tensor.add_dims(dim);
    return tensor;
  }
};

/// A fixture that imports models of a builder, and runs them in the interpreter.
struct OnnxTest : testing::Test {
  TestContext context;
  TempDir dir;
  heddle::ImportOptions options; // the options of all imports

  OnnxTest() {
    mlir::DialectRegistry registry;
    heddle::registerInterpreter(registry);
    context.appendDialectRegistry(registry);
  }

  mlir::FailureOr<heddle::Model> import(const OnnxBuilder &builder) {
    return heddle::importModel(context, dir.write("model.onnx", builder.model.SerializeAsString()), options);
  }
  /// Returns the errors of an import, which must fail.
  std::string errorOf(const OnnxBuilder &builder) {
    EXPECT_TRUE(failed(import(builder)));
    return context.take();
  }
  /// Returns the imported module as text, in which tests search for operations.
  std::string textOf(const OnnxBuilder &builder) {
    mlir::FailureOr<heddle::Model> model = import(builder);
    EXPECT_TRUE(succeeded(model)) << context.text;
    std::string text;
    if (succeeded(model))
      llvm::raw_string_ostream(text) << **model->module;
    return text;
  }

  /// Imports and interprets the model, and returns its results by name. `ints` and `floats` contain inputs by name. In
  /// each input that neither contains, element k of input number i is 1 + k + 100 i.
  std::map<std::string, heddle::Tensor> run(const OnnxBuilder &builder,
                                            const std::map<std::string, std::vector<int64_t>> &ints = {},
                                            const std::map<std::string, std::vector<float>> &floats = {}) {
    mlir::FailureOr<heddle::Model> model = import(builder);
    EXPECT_TRUE(succeeded(model)) << context.text;
    return succeeded(model) ? runReference(*model, inputsOf(*model, ints, floats))
                            : std::map<std::string, heddle::Tensor>();
  }
  /// Imports the model, and returns the error of the interpreter, which must fail.
  std::string runErrorOf(const OnnxBuilder &builder, const std::map<std::string, std::vector<int64_t>> &ints) {
    mlir::FailureOr<heddle::Model> model = import(builder);
    EXPECT_TRUE(succeeded(model)) << context.text;
    EXPECT_TRUE(succeeded(model) && failed(tryReference(*model, inputsOf(*model, ints, {}))));
    return context.take();
  }

  /// Returns the inputs of a model, as described for run().
  static heddle::WeightStore inputsOf(heddle::Model &model, const std::map<std::string, std::vector<int64_t>> &ints,
                                      const std::map<std::string, std::vector<float>> &floats) {
    heddle::WeightStore inputs;
    auto main = model.module->lookupSymbol<mlir::func::FuncOp>("main");
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      std::string name = main.getArgAttrOfType<mlir::StringAttr>(i, "heddle.name").str();
      auto type = llvm::cast<mlir::RankedTensorType>(main.getArgument(i).getType());
      std::vector<double> values(type.getNumElements());
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = ints.count(name) ? ints.at(name)[k] : floats.count(name) ? floats.at(name)[k] : 1 + k + 100. * i;
      if (type.getElementType().isF32())
        add<float>(inputs, name, type, values);
      else if (type.getElementType().isInteger(1))
        add<bool>(inputs, name, type, values);
      else if (type.getElementType().isInteger(32))
        add<int32_t>(inputs, name, type, values);
      else
        add<int64_t>(inputs, name, type, values);
    }
    return inputs;
  }

  /// Adds a tensor with elements of the C++ type T to the store.
  template <typename T>
  static void add(heddle::WeightStore &store, const std::string &name, mlir::RankedTensorType type,
                  const std::vector<double> &values) {
    std::vector<char> bytes(values.size() * sizeof(T));
    for (size_t i = 0; i < values.size(); ++i)
      reinterpret_cast<T *>(bytes.data())[i] = static_cast<T>(values[i]);
    EXPECT_TRUE(store.add(name, type, bytes));
  }
};

/// Returns the elements of a result. Floats are rounded to 4 decimals, so that tests can compare them with literals.
inline std::vector<double> numbers(const heddle::Tensor &tensor) {
  std::vector<double> values;
  if (!tensor.isFloat())
    values.assign(tensor.ints().begin(), tensor.ints().end());
  else
    for (double value : tensor.floats())
      values.push_back(std::isfinite(value) ? std::round(value * 1e4) / 1e4 : value);
  return values;
}

#endif // HEDDLE_TESTS_IMPORT_ONNXBUILDER_H
