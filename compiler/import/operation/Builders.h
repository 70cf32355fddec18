//===- Builders.h - the interface of quoted operations ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_BUILDERS_H
#define HEDDLE_IMPORT_OPERATION_BUILDERS_H

#include "../module/MainBuilder.h"
#include "Knobs.h"

#include "Heddle.h"

#include <map>

namespace heddle {

/// Results with their names; empty after an error.
using NamedResults = llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>;

/// The context in which a quoted operation is built. A build function first reads all its knobs. Then it calls `ready`,
/// and creates operations only if `ready` returns true.
struct OperationBuilder {
  MainBuilder &main;
  Knobs &knobs;
  WeightStore &weights;    // receives the constant weights
  mlir::Type element;      // the element type of floating-point operands
  bool wrongUsage = false; // whether an error was emitted because the text of the operation is invalid
  bool noMemory = false;   // whether an error was emitted because there is too little memory

  /// The type of a tensor of this shape with elements of type `element`.
  mlir::RankedTensorType tensor(llvm::ArrayRef<Dim> shape) const {
    return mlir::RankedTensorType::get(numbersOf(shape), element);
  }
  /// Emits an error and returns false if a knob is invalid. After Knobs::onlyDescribe, returns false without an error.
  bool ready();
  /// Adds an argument to the function; returns null if `present` is false.
  mlir::Value input(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool present = true);
  /// Adds an argument, like `input`, or, if `constant` is true, a weight to `weights`. The values of the weight are
  /// pseudo-random, depend only on `name`, the type and `fanIn`, and lie within 1/sqrt(fanIn) of 0, like the initial
  /// weights of a layer with `fanIn` inputs.
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool constant, int64_t fanIn);
  /// Emits an error and returns false if the tensor has more than `limit` bytes.
  bool checkSize(llvm::StringRef name, mlir::RankedTensorType type, int64_t limit);
};

/// How an operation is described and built.
struct QuotedOperation {
  llvm::StringRef operands;                  // the operands and results, for help texts
  NamedResults (*build)(OperationBuilder &); // reads the knobs, adds the operands and creates the operation
};
/// Quoted operations by name.
using QuotedOperations = std::map<llvm::StringRef, QuotedOperation>;

// A file of this folder whose name is also the name of a file in dialect/ops, such as Attention.cpp, defines a function
// that adds its operations, such as quoteAttention. CMake generates the list of these files from Heddle.td.
#define HEDDLE_OPERATION(Stem) void quote##Stem(QuotedOperations &operations);
#include "QuotedOperations.inc"
#undef HEDDLE_OPERATION

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_BUILDERS_H
