//===- HardReference.h - the reference where not all is finite --*- C++ -*-===//

#ifndef HEDDLE_VERIFY_HARDREFERENCE_H
#define HEDDLE_VERIFY_HARDREFERENCE_H

#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// Interprets a model as it was imported, but for one thing. A softmax taken apart multiplies the weight 0 of a key by
/// its value, which is NaN where that is not finite; heddle.attention, which recognition makes of it, leaves out a key
/// whose score is -inf, and all keys of a row that yields zeros. What else recognition changes shows: attention taken
/// apart again, by decomposeOperation, multiplies as the model did, and must have NaN and infinities where that has
/// them. Only then the recognised model is the reference.
class HardReference {
public:
  /// `imported` must outlive this.
  explicit HardReference(mlir::ModuleOp imported) : imported(imported) {}

  mlir::FailureOr<Reference> compute(llvm::ArrayRef<Tensor> inputs, const WeightSource &weights);

private:
  /// Whether recognition makes an attention, and the modules could be made.
  bool isRecognised();

  mlir::ModuleOp imported;
  std::optional<bool> known;
  // Once needed: the recognised model, both with attention taken apart.
  mlir::OwningOpRef<mlir::ModuleOp> recognised, formula, importedFormula;
};

} // namespace heddle

#endif // HEDDLE_VERIFY_HARDREFERENCE_H
