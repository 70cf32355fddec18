//===- HardReference.h - reference for non-finite values --------*- C++ -*-===//

#ifndef HEDDLE_VERIFY_HARDREFERENCE_H
#define HEDDLE_VERIFY_HARDREFERENCE_H

#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// Computes the reference from the model as it was imported, with one exception. A softmax and product in separate
/// operations multiply the probability 0 of a removed key by its value, which is NaN if the value is not finite.
/// heddle.attention, which recognition creates from these operations, ignores a key whose score is -inf, and all keys
/// of a row that yields zeros. To find any other difference that recognition makes, both models are also compared with
/// their attentions decomposed: they must have NaN and infinities at the same positions. Only then the recognised model
/// is the reference.
class HardReference {
public:
  /// `imported` must outlive this object.
  explicit HardReference(mlir::ModuleOp imported) : imported(imported) {}

  mlir::FailureOr<Reference> compute(llvm::ArrayRef<Tensor> inputs, const WeightSource &weights);

private:
  /// Whether recognition creates an attention and all attentions can be decomposed.
  bool isRecognised();

  mlir::ModuleOp imported;
  std::optional<bool> known;
  // Created when they are needed: the recognised model, and the recognised and the imported model with their attentions
  // decomposed.
  mlir::OwningOpRef<mlir::ModuleOp> recognised, formula, importedFormula;
};

} // namespace heddle

#endif // HEDDLE_VERIFY_HARDREFERENCE_H
