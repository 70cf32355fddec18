//===- ElementProgram.h - decoded scalar bodies -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_ELEMENTPROGRAM_H
#define HEDDLE_DIALECT_INTERPRETER_ELEMENTPROGRAM_H

#include "interpreter/Interpreter.h"

namespace heddle {

/// The body of a linalg op, of a tensor op such as tensor.pad, or of heddle.attention, in a form that runs fast. The
/// body is decoded once and then run for up to `width` points of the iteration space at a time. Each value of the body
/// is a column: an array with one element for each point.
class ElementProgram {
public:
  static constexpr int64_t width = 256;

  /// Decodes a body. Values that are defined outside of the body are read from the evaluator during decoding, not when
  /// the program runs. Emits an error at an op that is not supported in a body.
  static mlir::FailureOr<ElementProgram> decode(mlir::Block &body, Evaluator &evaluator);

  /// The column of block argument i, which the caller fills before `run`.
  Column argument(unsigned i) const { return arguments[i]; }

  /// The column of the terminator's operand i, valid after `run`.
  Column yielded(unsigned i) const { return yields[i]; }

  /// The dimension and the column of each linalg.index. Before `run`, the caller fills the column with the indices
  /// along the dimension.
  llvm::ArrayRef<std::pair<int64_t, Column>> indices() const { return indexColumns; }

  /// Runs the program on the first n elements of each column; n must be at most `width`.
  llvm::LogicalResult run(int64_t n) const;

private:
  /// An op of the body.
  struct Instruction {
    LaneFunction lanes; // computes the op
    llvm::SmallVector<Column, 3> operands;
    llvm::SmallVector<Column, 1> results;
    llvm::SmallVector<std::pair<mlir::FloatType, Column>, 1> rounded; // results that are rounded to f16 or bf16
  };
  /// Allocates a column of `width` elements in `storage`.
  Column allocate();

  std::vector<std::unique_ptr<int64_t[]>> storage; // memory of the columns, of doubles as well as of integers
  std::vector<Instruction> instructions;
  llvm::SmallVector<Column> arguments, yields;
  llvm::SmallVector<std::pair<int64_t, Column>> indexColumns;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_ELEMENTPROGRAM_H
