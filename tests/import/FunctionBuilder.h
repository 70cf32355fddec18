//===- FunctionBuilder.h - ONNX models with functions -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_FUNCTIONBUILDER_H
#define HEDDLE_TESTS_IMPORT_FUNCTIONBUILDER_H

#include "OnnxBuilder.h"

/// The numbers of the fields NodeProto.overload, FunctionProto.attribute_proto and FunctionProto.overload, which older
/// versions of onnx.proto do not define.
inline constexpr int nodeOverload = 8, functionDefaults = 11, functionOverload = 13;

/// Sets a field that the installed onnx.proto may not define. `bytes` is a string or a serialized message.
inline void setLater(google::protobuf::Message &message, int field, const std::string &bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(field, bytes);
}

/// Builds an ONNX model with functions. The body of a function is a list of nodes, which replaces each call of the
/// function.
struct FunctionBuilder : OnnxBuilder {
  /// Creates a model with the input x [2] and with outputs that have these names. Tests must add the nodes.
  explicit FunctionBuilder(const Names &outputs = {"y"}, int64_t opset = 18) : OnnxBuilder(opset) {
    input("x", {2});
    for (const std::string &name : outputs)
      output(name);
  }

  /// Adds a function of the domain "local" without nodes.
  onnx::FunctionProto &function(const std::string &name, const Names &inputs, const Names &outputs,
                                int64_t opset = 18) {
    onnx::FunctionProto &function = *model.add_functions();
    function.set_domain("local");
    function.set_name(name);
    for (const std::string &input : inputs)
      function.add_input(input);
    for (const std::string &output : outputs)
      function.add_output(output);
    function.add_opset_import()->set_version(opset);
    return function;
  }

  /// Adds a node to the main graph that calls the function `name` of the domain "local".
  onnx::NodeProto &call(const std::string &name, const Names &inputs, const Names &outputs) {
    onnx::NodeProto &call = node(name, inputs, outputs);
    call.set_domain("local");
    return call;
  }
};

/// Adds a node to a function, or to a graph that is an attribute of a node.
template <typename Owner>
onnx::NodeProto &addNode(Owner &owner, const std::string &op, const OnnxBuilder::Names &inputs,
                         const OnnxBuilder::Names &outputs) {
  onnx::NodeProto &node = *owner.add_node();
  node.set_op_type(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  return node;
}

/// Adds a node that calls the function `name` of the domain "local" to a function or to a graph.
template <typename Owner>
onnx::NodeProto &addCall(Owner &owner, const std::string &name, const OnnxBuilder::Names &inputs,
                         const OnnxBuilder::Names &outputs) {
  onnx::NodeProto &call = addNode(owner, name, inputs, outputs);
  call.set_domain("local");
  return call;
}

/// Adds the attribute `name` to a node of a function. Its value is the value of the attribute `outer` in the call of
/// the function.
inline void refer(onnx::NodeProto &node, const std::string &name, onnx::AttributeProto::AttributeType type,
                  const std::string &outer) {
  OnnxBuilder::attribute(node, name, type).set_ref_attr_name(outer);
}

/// Adds a default value for the attribute `name` of the function.
inline void addDefault(onnx::FunctionProto &function, const std::string &name, float value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  setLater(function, functionDefaults, attribute.SerializeAsString());
}

#endif // HEDDLE_TESTS_IMPORT_FUNCTIONBUILDER_H
