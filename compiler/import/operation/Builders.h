//===- Builders.h - what quoted operations are built with -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_OPERATION_BUILDERS_H
#define HEDDLE_IMPORT_OPERATION_BUILDERS_H

#include "../module/MainBuilder.h"
#include "Knobs.h"

#include "Heddle.h"

#include <map>

namespace heddle {

/// Results with their names; empty after an error.
using NamedResults = llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>>;

/// What a builder works with. It asks for its knobs, calls `ready`, and only then builds.
struct OperationBuilder {
  MainBuilder &main;
  Knobs &knobs;
  WeightStore &weights;
  mlir::Type element; // of floating-point operands
  bool wrongUsage = false; // an error was given
  bool noMemory = false;   // likewise

  mlir::RankedTensorType tensor(llvm::ArrayRef<Dim> shape) const {
    return mlir::RankedTensorType::get(numbersOf(shape), element);
  }
  /// False, after an error, if a knob is wrong.
  bool ready();
  /// An argument of the function; none if `!present`.
  mlir::Value input(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool present = true);
  /// As `input`; with `constant` a weight of the store with random values, the same every
  /// time, about as large as those of a layer with `fanIn` inputs.
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<Dim> shape, bool constant, int64_t fanIn);
  /// Gives an error and returns false for a tensor of more than `limit` bytes.
  bool checkSize(llvm::StringRef name, mlir::RankedTensorType type, int64_t limit);
};

struct QuotedOperation {
  llvm::StringRef operands; // for people
  NamedResults (*build)(OperationBuilder &);
};
/// By name.
using QuotedOperations = std::map<llvm::StringRef, QuotedOperation>;

// What adds the operations of a file: quoteAttention of Attention.cpp, for each that Heddle.td lists.
#define HEDDLE_OPERATION(Stem) void quote##Stem(QuotedOperations &operations);
#include "QuotedOperations.inc"
#undef HEDDLE_OPERATION

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_BUILDERS_H
