//===- Reader.cpp - reads an ONNX file and checks its structure -----------===//

#include "Graph.h"
#include "Message.h"
#include "TensorReader.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

class GraphReader {
public:
  /// A body has the operator versions of its model.
  GraphReader(Location loc, TensorReader &tensors, const ::onnx::GraphProto &source,
              std::map<std::string, int64_t> opsets, NodesCheck checkNodes, bool isBody)
      : loc(loc), tensors(tensors), source(source), checkNodes(checkNodes), isBody(isBody) {
    graph.opsets = std::move(opsets);
  }

  FailureOr<Graph> read() {
    if (failed(readNodes()) || failed(checkNodes(loc, graph)) || failed(readInitializers()) || failed(readPorts()))
      return failure();
    return std::move(graph);
  }

private:
  LogicalResult readInitializers();
  LogicalResult readPorts();
  LogicalResult readNodes();
  FailureOr<Port> readPort(const ::onnx::ValueInfoProto &info, StringRef kind);
  LogicalResult readAttribute(const ::onnx::AttributeProto &proto, Node &node);

  Location loc;
  TensorReader &tensors;
  const ::onnx::GraphProto &source;
  NodesCheck checkNodes;
  bool isBody;
  Graph graph;
  llvm::StringSet<> initialized;
};

FailureOr<std::map<std::string, int64_t>> readOpsets(Location loc, const ::onnx::ModelProto &model) {
  std::map<std::string, int64_t> opsets;
  for (const auto &opset : model.opset_import()) {
    std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    opsets[domain] = opset.version();
  }
  if (!opsets.count(""))
    return emitError(loc) << "the model does not say which version of the standard operators it uses "
                             "(opset_import)";
  return opsets;
}

LogicalResult GraphReader::readInitializers() {
  if (source.sparse_initializer_size())
    return emitError(loc) << "sparse initializers are not supported";
  for (const auto &tensor : source.initializer()) {
    if (tensor.name().empty())
      return emitError(loc) << "an initializer has no name";
    std::string what = "initializer '" + tensor.name() + "'";
    if (!initialized.insert(tensor.name()).second)
      return emitError(loc) << what << " appears twice";
    FailureOr<TensorData> data = tensors.read(tensor, what);
    if (failed(data))
      return failure();
    graph.initializers.push_back(std::move(*data));
  }
  return success();
}

FailureOr<Port> GraphReader::readPort(const ::onnx::ValueInfoProto &info, StringRef kind) {
  auto error = [&] { return emitError(loc) << kind << " '" << info.name() << "' "; };
  if (info.name().empty())
    return emitError(loc) << "an " << kind << " of the " << (isBody ? "graph" : "model") << " has no name";
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

LogicalResult GraphReader::readPorts() {
  for (const auto &info : source.input()) {
    if (initialized.contains(info.name()))
      continue; // up to IR version 3 every initializer was also an input
    FailureOr<Port> port = readPort(info, "input");
    if (failed(port))
      return failure();
    graph.inputs.push_back(std::move(*port));
  }
  for (const auto &info : source.output()) {
    FailureOr<Port> port = readPort(info, "output");
    if (failed(port))
      return failure();
    graph.outputs.push_back(std::move(*port));
  }
  if (graph.outputs.empty())
    return emitError(loc) << "the " << (isBody ? "graph" : "model") << " has no outputs";
  return success();
}

LogicalResult GraphReader::readAttribute(const ::onnx::AttributeProto &proto, Node &node) {
  using Proto = ::onnx::AttributeProto;
  NodeAttribute attribute;
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
    FailureOr<TensorData> tensor =
        tensors.read(proto.t(), "node '" + node.name + "', attribute '" + proto.name() + "'");
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
    FailureOr<Graph> body = GraphReader(loc, tensors, proto.g(), graph.opsets, checkNodes, /*isBody=*/true).read();
    if (failed(body))
      return failure();
    attribute.kind = NodeAttribute::Kind::Graph;
    attribute.graph = std::make_shared<Graph>(std::move(*body));
    break;
  }
  default:
    break;
  }
  if (!node.attributes.emplace(proto.name(), std::move(attribute)).second)
    return emitError(loc) << "node '" << node.name << "' has attribute '" << proto.name() << "' twice";
  return success();
}

LogicalResult GraphReader::readNodes() {
  for (const auto &proto : source.node()) {
    Node node;
    node.opType = proto.op_type();
    node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.name = !proto.name().empty() ? proto.name() : node.outputs.empty() ? "" : node.outputs.front();
    for (const auto &attribute : proto.attribute())
      if (failed(readAttribute(attribute, node)))
        return failure();
    graph.nodes.push_back(std::move(node));
  }
  return success();
}

} // namespace

FailureOr<Graph> heddle::onnx::readGraph(Location loc, StringRef path, NodesCheck checkNodes) {
  auto model = std::make_shared<::onnx::ModelProto>();
  if (failed(parseMessage(loc, path, "an ONNX model", *model)))
    return failure();
  if (!model->has_graph())
    return emitError(loc) << "not an ONNX model: it has no graph";
  FailureOr<std::map<std::string, int64_t>> opsets = readOpsets(loc, *model);
  if (failed(opsets))
    return failure();
  TensorReader tensors(loc, path, model);
  FailureOr<Graph> graph = GraphReader(loc, tensors, model->graph(), *opsets, checkNodes, /*isBody=*/false).read();
  if (succeeded(graph))
    graph->dataFiles = tensors.getFiles();
  return graph;
}
