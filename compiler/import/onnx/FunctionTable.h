//===- FunctionTable.h - the functions of an ONNX file ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H
#define HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H

#include "InlineFunctions.h"
#include "TensorReader.h"

#include "llvm/ADT/StringMap.h"

#include <list>

namespace heddle::onnx {

/// An ONNX file in memory. Tensors that are read from the file keep this object alive.
struct File {
  ::onnx::ModelProto model;
  /// Attributes of functions, with their default values. They are stored here because `model` does not contain them as
  /// messages if onnx.proto is too old to define the field FunctionProto.attribute_proto (LaterFields.h).
  std::list<::onnx::AttributeProto> defaults;
};

/// The functions of one file, by domain, name and overload. A function is read and checked when a node first calls it,
/// so functions without calls are never read.
class FunctionTable {
public:
  FunctionTable(mlir::Location loc, TensorReader &tensors, File &file) : loc(loc), tensors(tensors), file(file) {}

  /// Adds all functions of the file to the table. Emits an error if a function has no name, or if two functions have
  /// the same domain, name and overload.
  llvm::LogicalResult index();

  /// Returns the function that the node calls, or null if the model has no function of this name. Emits an error if the
  /// function is malformed, or if the node refers to an overload that does not exist.
  mlir::FailureOr<const Function *> find(const Node &node);

private:
  /// Reads and checks a function. `name` is its name for messages.
  mlir::FailureOr<Function> read(const ::onnx::FunctionProto &source, std::string name);

  struct Entry {
    const ::onnx::FunctionProto *source; // owned by `file`
    std::optional<Function> function;    // nothing until a node calls the function
  };
  mlir::Location loc;
  TensorReader &tensors;
  File &file;
  llvm::StringMap<Entry> entries;
};

/// Returns the names of all values of the graph and of the graphs in attributes of its nodes.
llvm::StringSet<> namesOf(const ::onnx::GraphProto &graph);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H
