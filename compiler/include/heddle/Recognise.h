//===- Recognise.h - layers found in decomposed models ----------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_H
#define HEDDLE_RECOGNISE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

/// What recognition did with a module.
struct RecognitionReport {
  /// An operation that looked like (part of) a layer, and why it stayed general.
  struct General {
    std::string op; // "linalg.softmax"
    mlir::Location loc;
    std::string reason;
  };
  /// Layers in the module by kind ("attention", "layer_norm"), those that the
  /// source had as one operation included.
  llvm::MapVector<llvm::StringRef, unsigned> recognised;
  std::vector<General> general;
  /// What no layer would take, by kind ("elementwise", "lookup").
  llvm::MapVector<llvm::StringRef, unsigned> other;

  /// For people: a line of counts, then a line per kind and reason with its number,
  /// then one for the rest.
  void print(llvm::raw_ostream &os) const;
};

/// Turns decomposed layers of `module` into heddle operations, where they are the
/// same function. Fills `report` if given.
void recognise(mlir::ModuleOp module, RecognitionReport *report = nullptr);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_H
