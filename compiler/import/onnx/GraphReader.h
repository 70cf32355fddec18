//===- GraphReader.h - graphs and nodes of an ONNX file ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_GRAPHREADER_H
#define HEDDLE_IMPORT_ONNX_GRAPHREADER_H

#include "TensorReader.h"

namespace heddle::onnx {

/// Changes or checks a graph whose nodes are read and whose tensors are not read yet.
using NodesStep = llvm::function_ref<llvm::LogicalResult(mlir::Location, Graph &)>;

/// Reads graphs whose nodes are operators of the same versions: a model's, or those within the nodes of a function.
/// Reports errors at `loc`.
class GraphReader {
public:
  enum class Kind { Model, Function };

  /// `step` is called for each graph that is read, inner ones first. In a function attributes may refer to those of its
  /// call.
  GraphReader(mlir::Location loc, TensorReader &tensors, Opsets opsets, Kind kind, NodesStep step)
      : loc(loc), tensors(tensors), opsets(std::move(opsets)), kind(kind), step(step) {}

  /// Reads the model's graph, whose inputs `asInputs` are inputs although they have initializers.
  mlir::FailureOr<Graph> readModel(const ::onnx::GraphProto &source, llvm::ArrayRef<std::string> asInputs);
  mlir::FailureOr<std::vector<Node>> readNodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &source);
  /// `owner` names what has the attribute in messages: "node 'add'".
  mlir::FailureOr<NodeAttribute> readAttribute(const ::onnx::AttributeProto &proto, const std::string &owner);

private:
  mlir::FailureOr<Graph> readGraph(const ::onnx::GraphProto &source, bool isBody,
                                   llvm::ArrayRef<std::string> asInputs = {});
  llvm::LogicalResult readInitializers(const ::onnx::GraphProto &source, Graph &graph);
  llvm::LogicalResult readInputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody,
                                 llvm::ArrayRef<std::string> asInputs);
  llvm::LogicalResult readOutputs(const ::onnx::GraphProto &source, Graph &graph, bool isBody);
  mlir::FailureOr<Port> readPort(const ::onnx::ValueInfoProto &info, llvm::StringRef what, bool isBody);

  mlir::Location loc;
  TensorReader &tensors;
  Opsets opsets;
  Kind kind;
  NodesStep step;
};

/// Reads the versions of operators that a model or a function imports.
Opsets readOpsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &imports);

/// The name by which a domain is known here: "" for ONNX's own, which has two.
std::string domainOf(const std::string &domain);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GRAPHREADER_H
