//===- Hints.h - what vectorised loops tell LLVM and the CPU ----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_HINTS_H
#define HEDDLE_VECTORIZE_HINTS_H

#include "VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

/// What keeps LLVM from unrolling a loop.
mlir::LLVM::LoopAnnotationAttr keepRolled(mlir::MLIRContext *context);

/// Inputs of an op that are asked for before they are read (notes::ahead), and how they are.
class ReadsAhead {
public:
  ReadsAhead() = default;
  /// Of the inputs of `op` that have the loop `lane` and one that is reduced. Begins where `b` stands.
  ReadsAhead(VectorBuilder &b, mlir::linalg::LinalgOp op, unsigned lane);

  /// Asks for what lies ahead of `at` in the input, if it is one of these.
  void ask(VectorBuilder &b, mlir::OpOperand &input, VectorBuilder::Indices at) const;

private:
  struct Input {
    unsigned number;
    mlir::Value memory;
    int64_t rows; // ahead
  };
  llvm::SmallVector<Input, 1> inputs;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
