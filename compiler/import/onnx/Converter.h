//===- Converter.h - converts a graph of ONNX to a module -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_CONVERTER_H
#define HEDDLE_IMPORT_ONNX_CONVERTER_H

#include "GrowingPast.h"
#include "KeepStates.h"
#include "NodeContext.h"

#include "module/IndexRange.h"
#include "sizes/ImportTask.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace heddle::onnx {

/// Converts the graph of an ONNX file to a module. Errors name the file, `path`.
class Converter {
public:
  Converter(mlir::MLIRContext &context, llvm::StringRef path, Graph graph, const ImportTask &options)
      : context(context), loc(mlir::FileLineColLoc::get(&context, path, 0, 0)), graph(std::move(graph)),
        options(options) {}

  mlir::FailureOr<Model> run();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  mlir::LogicalResult checkOpsets();
  mlir::LogicalResult keepPast();
  void eraseDeadCode();

  // ModelPorts.cpp: inputs and outputs.
  mlir::LogicalResult resolveInputs();
  void createFunction();
  mlir::LogicalResult computeDerivedInputs();
  mlir::LogicalResult returnOutputs();

  // ConvertNodes.cpp: nodes and their values.
  mlir::LogicalResult convertNode(const Node &node);
  mlir::FailureOr<Values> inlineGraph(const Node &node, const Graph &body, llvm::ArrayRef<Value> arguments);
  mlir::LogicalResult checkSmallOperands(NodeContext &n, SmallUse use);
  mlir::LogicalResult defineResults(NodeContext &n);
  mlir::FailureOr<Value> lookUp(llvm::StringRef name);
  mlir::FailureOr<Value> storeTensor(const TensorData &tensor, int64_t largestInline);
  mlir::FailureOr<Value> storeNodeTensor(TensorData tensor);

  mlir::MLIRContext &context;
  mlir::Location loc;
  Graph graph;
  const ImportTask &options;

  Model model;
  mlir::func::FuncOp func;
  std::vector<mlir::RankedTensorType> inputTypes;
  llvm::StringMap<Value> values;
  llvm::StringMap<const TensorData *> initializers;
  // Names of stored weights, by the address and type of their bytes.
  llvm::DenseMap<std::pair<const char *, mlir::Type>, std::string> nodeTensors;
  IndexRanges ranges;
  SmallIntegers small;
  llvm::StringSet<> notes;
  StatePorts states;
  std::vector<DerivedInput> told; // removed inputs whose values the states determine
  int64_t foldedBytes = 0, inlinedNodes = 0;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_CONVERTER_H
