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

  /// Returns the imported model. Must be called only once.
  mlir::FailureOr<Model> run();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  // Onnx.cpp: the steps of `run`.
  mlir::LogicalResult checkOpsets();
  mlir::LogicalResult keepPast(); // turns inputs that are the past of a model into states
  mlir::LogicalResult keepGrowingInputs();
  void eraseDeadCode();

  // ModelPorts.cpp: inputs and outputs.
  mlir::LogicalResult resolveInputs();
  mlir::LogicalResult createFunction();
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
  std::vector<mlir::RankedTensorType> inputTypes;   // the types of `graph.inputs`
  llvm::StringMap<Value> values;                    // the values that are visible at the current node, by name
  llvm::StringMap<const TensorData *> initializers; // the initializers of `graph`, by name
  // The names of tensors that `storeNodeTensor` has stored. The key consists of the address of the bytes and the type.
  llvm::DenseMap<std::pair<const char *, mlir::Type>, std::string> nodeTensors;
  IndexRanges ranges;                      // ranges of integers that are computed at run time
  SmallIntegers small;                     // information about integers of 4 and 8 bits
  llvm::StringSet<> notes;                 // the texts of emitted remarks; each is emitted once
  StatePorts states;                       // inputs and outputs that are the values of states before and after a call
  std::vector<std::string> replacedInputs; // names of inputs of the file that --state removed or renamed
  std::vector<DerivedInput> derivedInputs; // removed inputs whose values the states determine
  // The size in bytes of all constants that are not splats, and the number of nodes that were inlined from graphs in
  // attributes.
  int64_t foldedBytes = 0, inlinedNodes = 0;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_CONVERTER_H
