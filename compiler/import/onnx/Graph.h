//===- Graph.h - an ONNX file as plain data ---------------------*- C++ -*-===//
//
// This header is the interface between the reader of ONNX files, which parses them with protobuf, and the conversion to
// MLIR, which does not use protobuf.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_GRAPH_H
#define HEDDLE_IMPORT_ONNX_GRAPH_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include "heddle/WeightStore.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::onnx {

/// A stored tensor. The elements are row-major and little-endian; a bool takes one byte. `keepAlive` owns the memory of
/// `bytes`.
struct TensorData {
  std::string name;
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  BytesOwner keepAlive;
  /// For integers of 4 or 8 bits, `small` is their signed or unsigned type in the file, the element type of `type` is
  /// i8, and each integer takes one byte. For other element types, `small` is null.
  mlir::IntegerType small = {};
};

/// Versions of operators by domain; "" is the domain of the standard operators.
using Opsets = std::map<std::string, int64_t>;

struct Graph;

/// The value of an attribute. `kind` determines the member that contains the value; for Strings and Other, the value is
/// not read.
struct NodeAttribute {
  enum class Kind { Int, Float, String, Tensor, Ints, Floats, Strings, Graph, Other };
  Kind kind = Kind::Other;
  int64_t i = 0;
  double f = 0;
  std::string s;
  TensorData tensor;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::shared_ptr<const Graph> graph;
  /// In a function, the name of an attribute of the call, whose value replaces this attribute. Empty if this attribute
  /// has a value of its own.
  std::string reference;
};

/// A node of a graph: an operator or the call of a function.
struct Node {
  std::string name; // a node without a name gets the name of its first output
  std::string opType;
  std::string domain; // "" for the standard operators
  /// The overload of the called function, which distinguishes functions of one domain and name. Empty for operators and
  /// for most functions.
  std::string overload;
  /// The version of the operators of the node's domain, from the opset imports of the model or of the function; 0 if
  /// there is no import of the domain.
  int64_t version = 0;
  std::vector<std::string> inputs, outputs; // "" for an optional input or output that is absent
  std::map<std::string, NodeAttribute> attributes;
};

/// An input or output of a model or of a body (a graph in an attribute of a node).
struct Port {
  struct Axis {
    int64_t size = -1; // the extent; -1 if it is dynamic
    std::string name;  // the name of a dynamic dimension; empty if the file gives it none
  };
  std::string name;
  mlir::Type element;
  bool hasShape = false;
  std::vector<Axis> axes; // empty if the file gives no shape
};

/// The graph of a model, or the body in an attribute of a node. The inputs and outputs of a body have names but no
/// types.
struct Graph {
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<Port> inputs, outputs; // `inputs` does not contain `constantInputs`
  /// The names of the inputs that have initializers. In ONNX, a caller may omit such inputs. `constantInputs` are
  /// imported as constants; the list is empty for files before IR version 4, in which every initializer had to be
  /// listed as an input. `givenInputs` are imported as inputs, and their initializers are not in `initializers`.
  std::vector<std::string> constantInputs, givenInputs;
  Opsets opsets;
  /// The number of levels of nested graphs, including this graph itself.
  size_t depth = 1;
  /// For a model, the files with external data, sorted by name.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> dataFiles;
};

/// A check of a graph. It runs after the nodes of the graph are read and before its tensors are read.
using NodesCheck = llvm::function_ref<llvm::LogicalResult(mlir::Location, const Graph &)>;

/// Returns whether a node is an operator that can be imported. Such a node is never treated as a call of a function of
/// the same name.
using IsOperator = llvm::function_ref<bool(const Node &)>;

/// Options for reading a file.
struct ReadOptions {
  IsOperator isOperator;
  /// Called for the model's graph and for each nested graph.
  NodesCheck checkNodes;
  /// Names of inputs that are imported as inputs although they have initializers.
  llvm::ArrayRef<std::string> asInputs = {};
};

/// Reads the file and replaces calls of its functions by the functions' nodes. Emits errors at `loc`.
mlir::FailureOr<Graph> readGraph(mlir::Location loc, llvm::StringRef path, const ReadOptions &options);

/// The maximum number of elements of a tensor. With this limit, the size of a tensor in bytes does not overflow.
constexpr int64_t maxElements = int64_t(1) << 34;

/// The maximum rank of a tensor. The ranks of real models are far smaller; without a limit, a small malicious file
/// could make ranks grow exponentially.
constexpr size_t maxRank = 32;

/// The number of elements of a tensor; nothing for a negative extent or for too many elements or dimensions.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// The name of the ONNX element type with this number, such as "FLOAT16".
std::string elementTypeName(int32_t dataType);

/// The MLIR type for the ONNX element type with this number; null if the type is not supported.
mlir::Type elementType(mlir::MLIRContext *context, int32_t dataType);

/// The type of integers of 4 or 8 bits that has this number in ONNX: si4, ui4, si8 or ui8; null for other types. Only
/// stored tensors and values computed from them may have these types; inputs and outputs must not.
mlir::IntegerType smallIntegerType(mlir::MLIRContext *context, int64_t dataType);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GRAPH_H
