//===- Reader.cpp - reads an ONNX file and checks its structure -----------===//

#include "FunctionTable.h"
#include "Graph.h"
#include "GraphReader.h"
#include "InlineFunctions.h"
#include "Message.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

FailureOr<Graph> heddle::onnx::readGraph(Location loc, StringRef path, const ReadOptions &options) {
  auto file = std::make_shared<File>();
  // `model` shares the ownership of the whole file.
  std::shared_ptr<::onnx::ModelProto> model(file, &file->model);
  if (failed(parseMessage(loc, path, "an ONNX model", *model)))
    return failure();
  if (!model->has_graph())
    return emitError(loc) << "not an ONNX model: it has no graph";
  Opsets opsets = readOpsets(model->opset_import());
  if (!opsets.count(""))
    return emitError(loc) << "the model does not declare the version of the standard operators (opset_import)";
  TensorReader tensors(loc, path, model);
  FunctionTable functions(loc, tensors, *file);
  if (failed(functions.index()))
    return failure();
  auto find = [&](const Node &node) -> FailureOr<const Function *> {
    return node.overload.empty() && options.isOperator(node) ? nullptr : functions.find(node);
  };
  FunctionInliner inliner(loc, find, namesOf(model->graph()));
  // Runs for each graph before its tensors are read. Nested graphs precede the graph that contains them.
  auto step = [&](Location loc, Graph &graph) {
    return success(succeeded(inliner.run(graph)) && succeeded(options.checkNodes(loc, graph)));
  };
  FailureOr<Graph> graph =
      GraphReader(loc, tensors, opsets, GraphReader::Kind::Model, step).readModel(model->graph(), options.asInputs);
  if (failed(graph))
    return failure();
  graph->dataFiles = tensors.getFiles();
  // Before IR version 4, every initializer had to be listed as an input, too. Such inputs are not meant to be optional,
  // so there is no remark that they are imported as constants.
  if (model->ir_version() < 4)
    graph->constantInputs.clear();
  return graph;
}
