//===- FunctionTable.h - the functions of an ONNX file ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H
#define HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H

#include "InlineFunctions.h"
#include "TensorReader.h"

#include "llvm/ADT/StringMap.h"

#include <list>

namespace heddle::onnx {

/// An ONNX file in memory. Tensors that are read from it keep it alive.
struct File {
  ::onnx::ModelProto model;
  /// Attributes of functions that the message holds as bytes alone.
  std::list<::onnx::AttributeProto> defaults;
};

/// The functions of one file by what nodes call them. Each is read and checked when a node first calls it, so that
/// functions that nobody calls cost nothing.
class FunctionTable {
public:
  FunctionTable(mlir::Location loc, TensorReader &tensors, File &file) : loc(loc), tensors(tensors), file(file) {}

  /// Finds the functions; an error where one has no name or two have the same.
  llvm::LogicalResult index();

  /// The function that the node calls, or null where the model has none of its name. An error where the function is
  /// broken, or the node names an overload that is not there.
  mlir::FailureOr<const Function *> find(const Node &node);

private:
  mlir::FailureOr<Function> read(const ::onnx::FunctionProto &source, std::string name);

  struct Entry {
    const ::onnx::FunctionProto *source;
    std::optional<Function> function;
  };
  mlir::Location loc;
  TensorReader &tensors;
  File &file;
  llvm::StringMap<Entry> entries;
};

/// The names of all values in the graph and in the graphs within its nodes.
llvm::StringSet<> namesOf(const ::onnx::GraphProto &graph);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_FUNCTIONTABLE_H
