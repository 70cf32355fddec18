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

  /// Vector `number` of the `count` of this width that are read of a row, one behind the other.
  struct Piece {
    int64_t number, count, width;
  };
  /// Asks for what lies ahead of `at` in the input, if it is one of these. What is stored in fewer bits has several
  /// vectors in a line: then the first of them asks for the lines of all.
  void ask(VectorBuilder &b, mlir::OpOperand &input, VectorBuilder::Indices at, const Piece &piece) const;

private:
  struct Input {
    unsigned number;
    mlir::Value memory;
    int64_t rows; // ahead
    int64_t line; // elements of a line, of what is stored in fewer bits; 0: each vector is one, or more
  };
  llvm::SmallVector<Input, 1> inputs;
  unsigned locality = 3; // as memref.prefetch has it: 3 is the first cache
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
