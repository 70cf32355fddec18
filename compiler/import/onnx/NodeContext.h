//===- NodeContext.h - what the conversion of one node sees -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NODECONTEXT_H
#define HEDDLE_IMPORT_ONNX_NODECONTEXT_H

#include "Emit.h"
#include "Graph.h"
#include "IndexRange.h"
#include "SmallIntegers.h"

#include "llvm/ADT/StringSet.h"

#include <functional>

namespace heddle::onnx {

/// Where a node's conversion needs more of the model than the node.
struct ModelAccess {
  /// Stores a tensor of the file and yields the value it has in the function.
  std::function<mlir::FailureOr<mlir::Value>(const TensorData &)> store;
  /// Converts the nodes of a graph that is an attribute, for these inputs, and yields its outputs.
  std::function<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(const Graph &, llvm::ArrayRef<mlir::Value>)> inlineGraph;
  /// What is known of integers of 4 and 8 bits.
  SmallIntegers &small;
};

/// One node while it is converted: operands, attributes, where its results go, and
/// errors that name it. An attribute that is read with the wrong type, or never
/// read, fails the node after its conversion.
class NodeContext {
public:
  NodeContext(mlir::Location loc, const Node &node, int64_t opset, Emitter &emit, IndexRanges &ranges,
              llvm::StringSet<> &notes, const ModelAccess &model, llvm::SmallVector<mlir::Value> inputs)
      : loc(loc), node(node), opset(opset), b(emit), ranges(ranges), model(model), notes(notes),
        inputs(std::move(inputs)), results(node.outputs.size()), smallResults(node.outputs.size()) {}

  mlir::InFlightDiagnostic error();
  /// A remark about the model, given once.
  void remark(llvm::StringRef text);

  /// Operand `i`, or null where it is left out.
  mlir::Value in(size_t i) const { return i < inputs.size() ? inputs[i] : mlir::Value(); }
  llvm::ArrayRef<mlir::Value> operands() const { return inputs; }
  /// Whether the model uses result `i`.
  bool wants(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  llvm::LogicalResult yield(mlir::Value value) { return yield(0, value); }
  llvm::LogicalResult yield(size_t i, mlir::Value value) {
    results[i] = value;
    return llvm::success();
  }

  /// The type in the file of operand `i`, where that is one of integers of 4 or 8 bits, else null.
  mlir::IntegerType smallType(size_t i) const {
    return i < node.inputs.size() ? model.small.types.lookup(node.inputs[i]) : mlir::IntegerType();
  }
  /// A result of such a type.
  llvm::LogicalResult yieldSmall(mlir::Value value, mlir::IntegerType type, size_t i = 0) {
    smallResults[i] = type;
    return yield(i, value);
  }

  //===--- Attributes ---===//

  bool has(llvm::StringRef name) const { return node.attributes.count(name.str()) != 0; }
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  std::optional<Numbers> intsAttr(llvm::StringRef name);
  const NodeAttribute *attr(llvm::StringRef name, NodeAttribute::Kind kind);
  /// The graph that attribute `name` is, with as many inputs and outputs as said; null where there is no such attribute.
  mlir::FailureOr<const Graph *> graphAttr(llvm::StringRef name, size_t inputs, size_t outputs);
  /// Fails if an attribute was of the wrong type or was not looked at.
  llvm::LogicalResult checkAttributes();

  //===--- Values known at import ---===//

  /// The integers of operand `i`, which must be known at import; `what` says what they are.
  mlir::FailureOr<Shape> integers(size_t i, llvm::StringRef what);
  mlir::FailureOr<Dim> integer(size_t i, llvm::StringRef what);
  /// The same where no size may be part of them: axes, steps.
  mlir::FailureOr<Numbers> numbers(size_t i, llvm::StringRef what);
  mlir::FailureOr<int64_t> number(size_t i, llvm::StringRef what);
  /// `axis` counted from the front, or an error if it is not in [-rank, rank).
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// Sorted, without duplicates.
  mlir::FailureOr<Numbers> axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Refuses negative extents and tensors too large to count.
  llvm::LogicalResult checkShape(llvm::ArrayRef<Dim> shape);
  /// Refuses the node where something that it asked of sizes is not the same for all of them.
  llvm::LogicalResult checkSizes();

  //===--- Types ---===//

  llvm::LogicalResult requireSameElements(llvm::ArrayRef<mlir::Value> values);
  llvm::LogicalResult requireFloat(mlir::Value value);
  llvm::LogicalResult requireInteger(mlir::Value value);
  llvm::LogicalResult requireBool(mlir::Value value);
  /// The broadcast shape of the values, or an error that shows their shapes.
  mlir::FailureOr<Shape> requireBroadcast(llvm::ArrayRef<mlir::Value> values);

  const mlir::Location loc;
  const Node &node;
  const int64_t opset;
  Emitter &b;
  IndexRanges &ranges;
  const ModelAccess &model;

private:
  friend class Converter;
  llvm::StringSet<> &notes;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::IntegerType> smallResults;
  llvm::StringSet<> read;
  bool attributeError = false;
};

/// "2x3xf32"
std::string typeText(mlir::Value value);
std::string shapeText(llvm::ArrayRef<Dim> shape);
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NODECONTEXT_H
