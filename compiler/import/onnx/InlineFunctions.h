//===- InlineFunctions.h - inlines functions of an ONNX file ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_INLINEFUNCTIONS_H
#define HEDDLE_IMPORT_ONNX_INLINEFUNCTIONS_H

#include "Graph.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <set>

namespace heddle::onnx {

/// A function of a model. A node that calls it is replaced by the function's nodes.
struct Function {
  /// The name for messages, with domain and overload: "local.norm:f32".
  std::string name;
  std::vector<std::string> inputs, outputs;
  /// The names of all attributes, and the default values of those attributes that have one.
  std::set<std::string> attributes;
  std::map<std::string, NodeAttribute> defaults;
  /// The nodes, which may call other functions. The function's opset imports determine the versions of operators.
  std::vector<Node> nodes;

  /// Returns an error text if the function is malformed, "" otherwise. Does not check the calls of the function.
  std::string verify() const;
};

/// Replaces calls of functions by nodes of operators, in a graph and in the nested graphs of functions. The names of a
/// function's values and nodes get the name of the call as a prefix. A value also gets a numeric suffix if its name is
/// already used.
class FunctionInliner {
public:
  /// Returns the function that a node calls, null if the node is an operator, or failure after an error was emitted.
  using Find = std::function<mlir::FailureOr<const Function *>(const Node &)>;

  /// `names` contains the names of all values of the model.
  FunctionInliner(mlir::Location loc, Find find, llvm::StringSet<> names)
      : loc(loc), find(std::move(find)), names(std::move(names)) {}

  /// Replaces the calls among the graph's own nodes. Emits an error if a call has more operands or results than its
  /// function, if functions are recursive, or if inlining exceeds the limits on nesting, nodes and memory. Emits a
  /// remark about an attribute that the function does not declare.
  llvm::LogicalResult run(Graph &graph);

private:
  /// A call of a function whose nodes are being copied.
  struct Scope {
    const Function &function;
    const Node &call;
    std::string prefix;                  // the prefix of the names of values and nodes
    llvm::StringMap<std::string> values; // names of values in the graph, with their names in the function as keys
  };
  using Nodes = std::vector<Node>;

  llvm::LogicalResult add(Node node, Nodes &to);
  llvm::LogicalResult addCall(const Node &call, const Function &function, Nodes &to);
  llvm::LogicalResult checkCall(const Node &call, const Function &function);
  /// Computes `graph.depth` from the depths of the nested graphs. Emits an error if the depth exceeds the limit.
  llvm::LogicalResult setDepth(Graph &graph);
  /// Adds to the numbers of copied nodes and bytes. Emits an error if a number exceeds its limit.
  llvm::LogicalResult count(const Node &node);
  llvm::LogicalResult count(size_t nodes, size_t bytes);
  std::string unique(std::string name);
  const std::string &valueOf(Scope &scope, const std::string &name);
  mlir::FailureOr<Node> copy(Scope &scope, const Node &node);
  mlir::FailureOr<std::shared_ptr<const Graph>> copy(Scope &scope, const Graph &graph);
  mlir::InFlightDiagnostic error(const Node &call, const Function &function);

  mlir::Location loc;
  Find find;
  llvm::StringSet<> names;              // the names of all values, including copied values
  llvm::StringMap<int64_t> suffixes;    // the last numeric suffix of each name
  std::vector<const Function *> active; // the functions that are being copied, from the outermost to the innermost
  size_t depth = 0;                     // the number of nested functions and graphs that are being copied
  size_t copiedNodes = 0, copiedBytes = 0;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_INLINEFUNCTIONS_H
