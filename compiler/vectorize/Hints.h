//===- Hints.h - what vectorised loops tell LLVM and the CPU ----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_HINTS_H
#define HEDDLE_VECTORIZE_HINTS_H

#include "VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle {

/// What keeps LLVM from unrolling a loop.
mlir::LLVM::LoopAnnotationAttr keepRolled(mlir::MLIRContext *context);

/// Keeps LLVM from moving reads across this place: which of them comes first makes no difference to it.
void keepOrder(mlir::ImplicitLocOpBuilder &b);

/// Inputs of an op that are asked for before they are read (notes::ahead), and how they are.
class ReadsAhead {
public:
  ReadsAhead() = default;
  /// Of the inputs of `op` that have the loop `lane` and one that is reduced. Begins where `b` stands.
  ReadsAhead(VectorBuilder &b, mlir::linalg::LinalgOp op, unsigned lane);

  /// Whether rows of these inputs are best read one after the other. What is not asked for into the first cache comes
  /// into it by what the CPU brings by itself, and that follows lines in their order alone.
  bool inOrder() const { return !inputs.empty() && locality < 3; }

  /// Vector `number` of the `count` of this width that are read of a row, one behind the other; of row `row` of the
  /// `rows` that are read at once.
  struct Piece {
    int64_t number, count, width;
    int64_t row = 0, rows = 1;
  };
  /// Asks for what lies ahead of `at` in the input, if it is one of these. What is stored in fewer bits has several
  /// vectors in a line: then the first of them asks for the lines of all. What is as wide as it is computed in, and not
  /// asked for into the first cache, has so little to compute for each line that lines in their order come no faster if
  /// they are asked for: it is one line of each page, whose place in memory is looked up then.
  void ask(VectorBuilder &b, mlir::OpOperand &input, VectorBuilder::Indices at, const Piece &piece) const;

private:
  struct Input {
    unsigned number;
    mlir::Value memory;
    int64_t rows;   // ahead
    int64_t line;   // elements of a line, of what is stored in fewer bits; 0: each vector is one, or more
    int64_t period; // of so many rows one asks, which are a page or less; 0: all do, for each line
  };
  void askOfPage(VectorBuilder &b, const Input &input, VectorBuilder::Indices at, const Piece &piece) const;

  llvm::SmallVector<Input, 1> inputs;
  unsigned locality = 3; // as memref.prefetch has it: 3 is the first cache
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_HINTS_H
