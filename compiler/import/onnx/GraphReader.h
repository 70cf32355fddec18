//===- GraphReader.h - graphs and nodes of an ONNX file ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GRAPHREADER_H
#define HEDDLE_IMPORT_ONNX_GRAPHREADER_H

#include "TensorReader.h"

namespace heddle::onnx {

/// A function that changes or checks a graph after its nodes are read and before its tensors are read.
using NodesStep = llvm::function_ref<llvm::LogicalResult(mlir::Location, Graph &)>;

/// Reads the graphs and nodes of a model, or the nodes of a function. They all use the versions of operators in
/// `opsets`. Emits errors at `loc`.
class GraphReader {
public:
  enum class Kind { Model, Function };

  /// `step` is called for each graph; nested graphs precede the graph that contains them. With Kind::Function,
  /// attributes may refer to attributes of the call.
  GraphReader(mlir::Location loc, TensorReader &tensors, Opsets opsets, Kind kind, NodesStep step)
      : loc(loc), tensors(tensors), opsets(std::move(opsets)), kind(kind), step(step) {}

  /// Reads the model's graph. The inputs named in `asInputs` are read as inputs although they have initializers.
  mlir::FailureOr<Graph> readModel(const ::onnx::GraphProto &source, llvm::ArrayRef<std::string> asInputs);
  mlir::FailureOr<std::vector<Node>> readNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &source);
  /// `owner` describes the node or function with the attribute in error messages, such as "node 'add'".
  mlir::FailureOr<NodeAttribute> readAttribute(const ::onnx::AttributeProto &proto, const std::string &owner);

private:
  /// If `isBody`, the graph is in an attribute of a node; otherwise it is the graph of the model.
  mlir::FailureOr<Graph> readGraph(const ::onnx::GraphProto &source, bool isBody,
                                   llvm::ArrayRef<std::string> asInputs = {});
  llvm::LogicalResult readInitializers(const ::onnx::GraphProto &source, Graph &graph);
  llvm::LogicalResult readInputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody,
                                 llvm::ArrayRef<std::string> asInputs);
  llvm::LogicalResult readOutputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody);
  /// `what` is "input" or "output" in error messages. For a port of a body, reads only the name.
  mlir::FailureOr<Port> readPort(const ::onnx::ValueInfoProto &info, llvm::StringRef what, bool isBody);

  mlir::Location loc;
  TensorReader &tensors;
  Opsets opsets;
  Kind kind;
  NodesStep step;
};

/// Reads the versions of operators that a model or a function imports.
Opsets readOpsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &imports);

/// Normalizes the name of a domain: the standard domain, "" or "ai.onnx", becomes "".
std::string domainOf(const std::string &domain);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GRAPHREADER_H
