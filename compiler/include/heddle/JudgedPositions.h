//===- JudgedPositions.h - positions that a mask selects --------*- C++ -*-===//
//
// Some positions of an output have no meaning, such as rows of padding whose keys are all masked. The results at these
// positions differ between implementations. A mask among the model's inputs selects the positions to compare.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_JUDGEDPOSITIONS_H
#define HEDDLE_JUDGEDPOSITIONS_H

#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace heddle {

/// Checks that the input `mask` of `main` can select positions of each output: the input exists, it holds integers or
/// booleans, and each output has the dimensions of the input as its leading dimensions. Emits an error otherwise.
mlir::LogicalResult checkMask(mlir::func::FuncOp main, llvm::StringRef mask);

/// The positions to compare: the positions where a mask is not 0.
class JudgedPositions {
public:
  /// `mask` holds integers or booleans; `name` is for messages.
  JudgedPositions(llvm::StringRef name, Tensor mask) : name(name), mask(std::move(mask)) {}

  /// Returns the positions that the input named `mask` selects in a call. `inputs` are in the order of
  /// inputPorts(main). checkMask must have accepted `mask`. If the mask is an optional input that is absent, its
  /// default is used.
  static JudgedPositions of(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs,
                            llvm::StringRef mask);

  /// The number of positions that are excluded.
  int64_t leftOut() const;
  /// The number of all positions.
  int64_t all() const { return mask.size(); }

  /// Overwrites the elements of a tensor at the excluded positions with NaN, or with 0 for integers, so that they are
  /// equal in all tensors that are compared. The leading dimensions of the tensor are the dimensions of the mask.
  void clearOthers(Tensor &tensor) const;

  /// For example "37 of 160 positions where attention_mask is 0".
  std::string text() const;

private:
  std::string name;
  Tensor mask;
};

} // namespace heddle

#endif // HEDDLE_JUDGEDPOSITIONS_H
