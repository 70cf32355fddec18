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

/// The context in which a quoted operation is built. A build function first reads its knobs, then calls `ready`, and
/// only then builds.
struct OperationBuilder {
  MainBuilder &main;
  Knobs &knobs;
  WeightStore &weights;
  mlir::Type element; // the element type of floating-point operands
  bool wrongUsage = false; // an error was emitted: the text is wrong
  bool noMemory = false;   // an error was emitted: too little memory

  mlir::RankedTensorType tensor(llvm::ArrayRef<Dim> shape) const {
    return mlir::RankedTensorType::get(numbersOf(shape), element);
  }
  /// Returns false, after an error, if a knob is wrong.
  bool ready();
  /// Adds an argument to the function; returns null if not `present`.
  mlir::Value input(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool present = true);
  /// Adds an argument like `input`. If `constant`, adds a weight of the store instead, with random values that are the
  /// same every time. They are about as large as the weights of a layer with `fanIn` inputs.
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool constant, int64_t fanIn);
  /// Emits an error and returns false if the tensor has more than `limit` bytes.
  bool checkSize(llvm::StringRef name, mlir::RankedTensorType type, int64_t limit);
};

struct QuotedOperation {
  llvm::StringRef operands; // for help texts
  NamedResults (*build)(OperationBuilder &);
};
/// Quoted operations by name.
using QuotedOperations = std::map<llvm::StringRef, QuotedOperation>;

// Declares the function of each file that adds its operations, such as quoteAttention in Attention.cpp. The list of
// files follows from Heddle.td.
#define HEDDLE_OPERATION(Stem) void quote##Stem(QuotedOperations &operations);
#include "QuotedOperations.inc"
#undef HEDDLE_OPERATION

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_BUILDERS_H
