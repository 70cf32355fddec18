//===- GraphReader.cpp - graphs and nodes of an ONNX file -----------------===//

#include "GraphReader.h"
#include "LaterFields.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

std::string heddle::onnx::domainOf(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

Opsets heddle::onnx::readOpsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &imports) {
  Opsets opsets;
  for (const auto &opset : imports)
    opsets[domainOf(opset.domain())] = opset.version();
  return opsets;
}

LogicalResult GraphReader::readInitializers(const ::onnx::GraphProto &source, Graph &graph) {
  if (source.sparse_initializer_size())
    return emitError(loc) << "sparse initializers are not supported";
  llvm::StringSet<> names;
  for (const auto &tensor : source.initializer()) {
    if (tensor.name().empty())
      return emitError(loc) << "an initializer has no name";
    std::string what = "initializer '" + tensor.name() + "'";
    if (!names.insert(tensor.name()).second)
      return emitError(loc) << what << " appears twice";
    FailureOr<TensorData> data = tensors.read(tensor, what);
    if (failed(data))
      return failure();
    graph.initializers.push_back(std::move(*data));
  }
  return success();
}

FailureOr<Port> GraphReader::readPort(const ::onnx::ValueInfoProto &info, StringRef what, bool isBody) {
  auto error = [&] { return emitError(loc) << what << " '" << info.name() << "' "; };
  if (info.name().empty())
    return emitError(loc) << "an " << what << " of the " << (isBody ? "graph" : "model") << " has no name";
  Port port;
  port.name = info.name();
  if (isBody)
    return port;
  if (!info.type().has_tensor_type())
    return error() << "is not a tensor; sequences, maps, optional and sparse values are not supported";
  const auto &type = info.type().tensor_type();
  port.element = elementType(loc.getContext(), type.elem_type());
  if (!port.element)
    return error() << "has element type " << elementTypeName(type.elem_type()) << ", which is not supported";
  port.hasShape = type.has_shape();
  for (const auto &dim : type.shape().dim()) {
    Port::Axis &result = port.axes.emplace_back();
    if (dim.has_dim_value()) {
      result.size = dim.dim_value();
      if (result.size < 0)
        return error() << "has a dimension of size " << result.size;
    } else if (dim.has_dim_param()) {
      result.name = dim.dim_param();
    }
  }
  return port;
}

LogicalResult GraphReader::readInputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody,
                                      ArrayRef<std::string> asInputs) {
  llvm::StringMap<const TensorData *> initializers;
  for (const TensorData &tensor : graph.initializers)
    initializers[tensor.name] = &tensor;
  for (const auto &info : source.input()) {
    const TensorData *initializer = initializers.lookup(info.name());
    if (initializer && !llvm::is_contained(asInputs, info.name())) {
      graph.constantInputs.push_back(info.name());
      continue;
    }
    FailureOr<Port> port = readPort(info, "input", isBody);
    if (failed(port))
      return failure();
    if (initializer)
      graph.givenInputs.push_back(port->name);
    if (initializer && !port->hasShape) {
      port->hasShape = true;
      for (int64_t extent : initializer->type.getShape())
        port->axes.push_back({extent, ""});
    }
    graph.inputs.push_back(std::move(*port));
  }
  llvm::erase_if(graph.initializers,
                 [&](const TensorData &tensor) { return llvm::is_contained(graph.givenInputs, tensor.name); });
  return success();
}

LogicalResult GraphReader::readOutputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody) {
  for (const auto &info : source.output()) {
    FailureOr<Port> port = readPort(info, "output", isBody);
    if (failed(port))
      return failure();
    graph.outputs.push_back(std::move(*port));
  }
  if (graph.outputs.empty())
    return emitError(loc) << "the " << (isBody ? "graph" : "model") << " has no outputs";
  return success();
}

FailureOr<NodeAttribute> GraphReader::readAttribute(const ::onnx::AttributeProto &proto, const std::string &owner) {
  using Proto = ::onnx::AttributeProto;
  NodeAttribute attribute;
  attribute.reference = proto.ref_attr_name();
  if (!attribute.reference.empty()) {
    if (kind == Kind::Function)
      return attribute;
    return emitError(loc) << owner << ": attribute '" << proto.name() << "' refers to attribute '"
                          << attribute.reference << "' of a function, but is not in a function";
  }
  switch (proto.type()) {
  case Proto::INT:
    attribute.kind = NodeAttribute::Kind::Int;
    attribute.i = proto.i();
    break;
  case Proto::FLOAT:
    attribute.kind = NodeAttribute::Kind::Float;
    attribute.f = proto.f();
    break;
  case Proto::STRING:
    attribute.kind = NodeAttribute::Kind::String;
    attribute.s = proto.s();
    break;
  case Proto::TENSOR: {
    FailureOr<TensorData> tensor = tensors.read(proto.t(), owner + ", attribute '" + proto.name() + "'");
    if (failed(tensor))
      return failure();
    attribute.kind = NodeAttribute::Kind::Tensor;
    attribute.tensor = std::move(*tensor);
    break;
  }
  case Proto::INTS:
    attribute.kind = NodeAttribute::Kind::Ints;
    attribute.ints.assign(proto.ints().begin(), proto.ints().end());
    break;
  case Proto::FLOATS:
    attribute.kind = NodeAttribute::Kind::Floats;
    attribute.floats.assign(proto.floats().begin(), proto.floats().end());
    break;
  case Proto::STRINGS:
    attribute.kind = NodeAttribute::Kind::Strings;
    break;
  case Proto::GRAPH: {
    FailureOr<Graph> body = readGraph(proto.g(), /*isBody=*/true);
    if (failed(body))
      return failure();
    attribute.kind = NodeAttribute::Kind::Graph;
    attribute.graph = std::make_shared<Graph>(std::move(*body));
    break;
  }
  default:
    break;
  }
  return attribute;
}

FailureOr<std::vector<Node>>
GraphReader::readNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &source) {
  std::vector<Node> nodes;
  for (const auto &proto : source) {
    Node node;
    node.opType = proto.op_type();
    node.domain = domainOf(proto.domain());
    node.overload = overloadOf(proto);
    if (auto opset = opsets.find(node.domain); opset != opsets.end())
      node.version = opset->second;
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.name = !proto.name().empty() ? proto.name() : node.outputs.empty() ? "" : node.outputs.front();
    for (const auto &each : proto.attribute()) {
      FailureOr<NodeAttribute> attribute = readAttribute(each, "node '" + node.name + "'");
      if (failed(attribute))
        return failure();
      if (!node.attributes.emplace(each.name(), std::move(*attribute)).second)
        return emitError(loc) << "node '" << node.name << "' has attribute '" << each.name() << "' twice";
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

FailureOr<Graph> GraphReader::readModel(const ::onnx::GraphProto &source, ArrayRef<std::string> asInputs) {
  return readGraph(source, /*isBody=*/false, asInputs);
}

FailureOr<Graph> GraphReader::readGraph(const ::onnx::GraphProto &source, bool isBody, ArrayRef<std::string> asInputs) {
  Graph graph;
  graph.opsets = opsets;
  FailureOr<std::vector<Node>> nodes = readNodes(source.node());
  if (failed(nodes))
    return failure();
  graph.nodes = std::move(*nodes);
  if (failed(step(loc, graph)) || failed(readInitializers(source, graph)) ||
      failed(readInputs(source, graph, isBody, asInputs)) || failed(readOutputs(source, graph, isBody)))
    return failure();
  return graph;
}
