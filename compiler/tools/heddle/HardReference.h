//===- HardReference.h - the reference on adversarial inputs ----*- C++ -*-===//

#ifndef HEDDLE_TOOLS_HARDREFERENCE_H
#define HEDDLE_TOOLS_HARDREFERENCE_H

#include "heddle/Verify.h"

namespace heddle {

/// Interprets a model as it was imported, but for one thing. A softmax taken apart multiplies the
/// weight 0 of a key whose score is -inf by its value, which is NaN where that is infinite;
/// heddle.attention, which recognition makes of it, leaves the key out. Elements that are NaN
/// only for that are what the recognised model says.
class HardReference {
public:
  /// `imported` must outlive this.
  explicit HardReference(mlir::ModuleOp imported) : imported(imported) {}

  mlir::FailureOr<Reference> compute(llvm::ArrayRef<Tensor> inputs, const WeightSource &weights);

private:
  mlir::func::FuncOp recognisedMain();

  mlir::ModuleOp imported;
  mlir::OwningOpRef<mlir::ModuleOp> recognised; // once needed
};

} // namespace heddle

#endif // HEDDLE_TOOLS_HARDREFERENCE_H
