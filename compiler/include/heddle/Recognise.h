//===- Recognise.h - finds layers in decomposed models ----------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_H
#define HEDDLE_RECOGNISE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

/// The numbers of layers and other operations in a module after recognition.
struct RecognitionReport {
  /// An operation that resembles a layer, or a part of one, but was not replaced, and the reason.
  struct General {
    std::string op; // "linalg.softmax"
    mlir::Location loc;
    std::string reason;
  };
  /// The number of layers in the module by kind ("attention", "layer_norm"), including layers that were one operation
  /// in the source. The regions of attention have entries of their own ("score region", "probability region").
  llvm::MapVector<llvm::StringRef, unsigned> recognised;
  std::vector<General> general;
  /// The number of operations that belong to no kind of layer, by kind ("elementwise", "lookup").
  llvm::MapVector<llvm::StringRef, unsigned> other;

  /// Prints a readable report: a line with the numbers of layers, a line for each kind and reason of unrecognised
  /// operations with their number, and a line for all other operations.
  void print(llvm::raw_ostream &os) const;
};

/// Replaces decomposed layers of `module` by heddle operations that compute the same function. Fills `report` if given.
void recognise(mlir::ModuleOp module, RecognitionReport *report = nullptr);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_H
