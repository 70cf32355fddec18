//===- NodeContext.h - the interface for converting a node ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NODECONTEXT_H
#define HEDDLE_IMPORT_ONNX_NODECONTEXT_H

#include "Emit.h"
#include "Graph.h"
#include "SmallIntegers.h"
#include "module/IndexRange.h"

#include "llvm/ADT/StringSet.h"

#include <functional>

namespace heddle::onnx {

using heddle::Interval;

/// Functions with which the conversion of a node accesses the rest of the model.
struct ModelAccess {
  /// Returns a tensor from an attribute of the node as a value in the function: a constant or, if the tensor is large,
  /// a stored weight.
  std::function<mlir::FailureOr<mlir::Value>(const TensorData &)> store;
  /// Converts the nodes of a graph in an attribute, with these values as its inputs, and returns the values of its
  /// outputs.
  std::function<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(const Graph &, llvm::ArrayRef<mlir::Value>)> inlineGraph;
  /// Information about integers of 4 and 8 bits.
  SmallIntegers &small;
};

/// A node that is being converted. The class provides its operands and attributes, stores its results, and emits errors
/// that name it. The conversion fails if an attribute is read with the wrong type or is never read.
class NodeContext {
public:
  NodeContext(mlir::Location loc, const Node &node, int64_t opset, Emitter &emit, IndexRanges &ranges,
              llvm::StringSet<> &notes, const ModelAccess &model, llvm::SmallVector<mlir::Value> inputs)
      : loc(loc), node(node), opset(opset), b(emit), ranges(ranges), model(model), notes(notes),
        inputs(std::move(inputs)), results(node.outputs.size()), smallResults(node.outputs.size()) {}

  /// Begins an error that names the node.
  mlir::InFlightDiagnostic error();
  /// Emits a remark about the model. A remark with the same text is emitted only once.
  void remark(llvm::StringRef text);

  /// Operand `i`; null if it is absent.
  mlir::Value in(size_t i) const { return i < inputs.size() ? inputs[i] : mlir::Value(); }
  llvm::ArrayRef<mlir::Value> operands() const { return inputs; }
  /// Whether result `i` is used.
  bool wants(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  /// Sets a result. Always succeeds.
  llvm::LogicalResult yield(mlir::Value value) { return yield(0, value); }
  llvm::LogicalResult yield(size_t i, mlir::Value value) {
    results[i] = value;
    return llvm::success();
  }

  /// The element type of operand `i` in the file if it is an integer type of 4 or 8 bits, else null.
  mlir::IntegerType smallType(size_t i) const {
    return i < node.inputs.size() ? model.small.types.lookup(node.inputs[i]) : mlir::IntegerType();
  }
  /// Sets result `i`, whose element type in the file is `type`: an integer type of 4 or 8 bits, or null.
  llvm::LogicalResult yieldSmall(mlir::Value value, mlir::IntegerType type, size_t i = 0) {
    smallResults[i] = type;
    return yield(i, value);
  }

  //===--- Attributes ---===//

  bool has(llvm::StringRef name) const { return node.attributes.count(name.str()) != 0; }
  /// These functions return the value of attribute `name`. If the node does not have the attribute, they return
  /// `otherwise`, nullopt, or null. If the attribute has another type, they emit an error, and checkAttributes fails.
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  std::optional<Numbers> intsAttr(llvm::StringRef name);
  const NodeAttribute *attr(llvm::StringRef name, NodeAttribute::Kind kind);
  /// The body in attribute `name`, which must have this number of inputs and outputs; null if there is no such
  /// attribute.
  mlir::FailureOr<const Graph *> graphAttr(llvm::StringRef name, size_t inputs, size_t outputs);
  /// Fails if an attribute has the wrong type or was not read.
  llvm::LogicalResult checkAttributes();

  //===--- Values known at import ---===//

  /// Returns the integers of operand `i`, which must be known at import but may be expressions of sizes. `integer` and
  /// `number` require exactly one element. Errors use `what` as the name of the operand.
  mlir::FailureOr<Shape> integers(size_t i, llvm::StringRef what);
  mlir::FailureOr<Dim> integer(size_t i, llvm::StringRef what);
  /// Returns the integers of operand `i`, such as axes and steps. Emits an error if they depend on sizes.
  mlir::FailureOr<Numbers> numbers(size_t i, llvm::StringRef what);
  mlir::FailureOr<int64_t> number(size_t i, llvm::StringRef what);
  /// Normalises `axis` to [0, rank). Emits an error if it is not in [-rank, rank).
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// Normalises and sorts axes. Emits an error for an axis out of range or a duplicate.
  mlir::FailureOr<Numbers> axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Emits an error for negative extents, too many dimensions and too many elements.
  llvm::LogicalResult checkShape(llvm::ArrayRef<Dim> shape);
  /// Emits an error if the conversion of the node depends on a condition whose result is not the same at all sizes.
  llvm::LogicalResult checkSizes();

  //===--- Types ---===//

  llvm::LogicalResult requireSameElements(llvm::ArrayRef<mlir::Value> values);
  llvm::LogicalResult requireFloat(mlir::Value value);
  llvm::LogicalResult requireInteger(mlir::Value value);
  llvm::LogicalResult requireBool(mlir::Value value);
  /// Returns the common broadcast shape of the values. If there is none, emits an error that contains two shapes.
  mlir::FailureOr<Shape> requireBroadcast(llvm::ArrayRef<mlir::Value> values);

  const mlir::Location loc;
  const Node &node;
  const int64_t opset; // the version of the operators of the node's domain
  Emitter &b;
  IndexRanges &ranges; // ranges of integers that are computed at run time
  const ModelAccess &model;

private:
  friend class Converter;
  llvm::StringSet<> &notes; // the texts of remarks that were emitted
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> results; // null if not set
  // The types of the results in the file if they are integers of 4 or 8 bits, else null.
  llvm::SmallVector<mlir::IntegerType> smallResults;
  llvm::StringSet<> read;      // the names of attributes that were read
  bool attributeError = false; // whether an error about the type of an attribute was emitted
};

/// The type as text, such as "[2x3] of f32".
std::string typeText(mlir::Value value);
/// The shape as text, such as "[2x3]".
std::string shapeText(llvm::ArrayRef<Dim> shape);
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NODECONTEXT_H
