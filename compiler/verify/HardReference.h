//===- HardReference.h - reference for non-finite values --------*- C++ -*-===//

#ifndef HEDDLE_VERIFY_HARDREFERENCE_H
#define HEDDLE_VERIFY_HARDREFERENCE_H

#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// Computes the reference from the model as it was imported, with one exception. Separate operations for a softmax and
/// its product with values multiply the probability 0 of a removed key by its value, which gives NaN if the value is
/// not finite. heddle.attention, which recognition creates from these operations, ignores a key whose score is -inf. If
/// an input is not finite or a result is NaN, the reference is therefore computed from the recognised model, provided
/// that recognition makes no other difference. To check this, both models are also interpreted with their attention
/// operations decomposed: the two results must agree within the bound, with NaN and infinities at the same positions.
class HardReference {
public:
  /// `imported` must outlive this object.
  explicit HardReference(mlir::ModuleOp imported) : imported(imported) {}

  /// Returns the reference for these inputs of @main.
  mlir::FailureOr<Reference> compute(llvm::ArrayRef<Tensor> inputs, const WeightSource &weights);

private:
  /// Returns whether recognition creates an attention operation, and all attention operations can be decomposed.
  bool isRecognised();

  mlir::ModuleOp imported;   // the model before recognition
  std::optional<bool> known; // the result of isRecognised() after its first call
  // Modules that isRecognised() creates: the recognised model, and the recognised and the imported model with
  // decomposed attention operations.
  mlir::OwningOpRef<mlir::ModuleOp> recognised, formula, importedFormula;
};

} // namespace heddle

#endif // HEDDLE_VERIFY_HARDREFERENCE_H
