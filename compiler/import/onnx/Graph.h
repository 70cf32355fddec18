//===- Graph.h - an ONNX file as plain data ---------------------*- C++ -*-===//
//
// What the reader hands to the conversion. Only the reader knows protobuf.
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

/// A stored tensor. The elements are row-major and little-endian, a bool takes
/// one byte; they live as long as `keepAlive`.
struct TensorData {
  std::string name;
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  BytesOwner keepAlive;
  /// Of integers of 4 or 8 bits their type in the file, with its sign; `type` has i8 for them, a byte each.
  mlir::IntegerType small = {};
};

struct Graph;

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
};

struct Node {
  std::string name; // never empty: a nameless node is called after its first output
  std::string opType;
  std::string domain; // "" for the standard operators
  std::vector<std::string> inputs, outputs; // "" where an optional one is left out
  std::map<std::string, NodeAttribute> attributes;
};

/// An input or output of the model.
struct Port {
  struct Axis {
    int64_t size = -1; // -1: open
    std::string name;  // of an open dimension, where the file gives one
  };
  std::string name;
  mlir::Type element;
  bool hasShape = false;
  std::vector<Axis> axes;
};

/// A model's, or what a node does with other values (a body): its inputs and outputs are names only.
struct Graph {
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<Port> inputs, outputs; // inputs without those that an initializer fixes
  std::map<std::string, int64_t> opsets; // domain -> version
  /// Of a model: the files beside it that tensors are read from, in the order of their names.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> dataFiles;

  /// The version of the operators that the node is one of; 0 where the file gives none.
  int64_t opsetOf(const Node &node) const {
    auto opset = opsets.find(node.domain);
    return opset == opsets.end() ? 0 : opset->second;
  }
};

/// What is asked of a graph whose nodes are read, before its tensors are.
using NodesCheck = llvm::function_ref<llvm::LogicalResult(mlir::Location, const Graph &)>;

/// Reads the file; what is wrong with it is reported at `loc`.
mlir::FailureOr<Graph> readGraph(mlir::Location loc, llvm::StringRef path, NodesCheck checkNodes);

/// The most elements that a tensor may have here; larger ones are refused before
/// sizes computed from them could overflow.
constexpr int64_t maxElements = int64_t(1) << 34;

/// The most dimensions: no exporter comes near, and ranks could grow exponentially.
constexpr size_t maxRank = 32;

/// The number of elements, or none for a negative extent, too many elements or dimensions.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// The text of ONNX's number for an element type, such as "FLOAT16".
std::string elementTypeName(int32_t dataType);

/// The MLIR type of an ONNX element type, or null if tensors of it are not imported.
mlir::Type elementType(mlir::MLIRContext *context, int32_t dataType);

/// That of ONNX's number for integers of 4 or 8 bits: si4, ui4, si8 or ui8; null for others. Only tensors of the file
/// and what is computed with them have these, no inputs and outputs.
mlir::IntegerType smallIntegerType(mlir::MLIRContext *context, int64_t dataType);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_GRAPH_H
