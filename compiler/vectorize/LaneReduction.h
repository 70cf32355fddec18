//===- LaneReduction.h - reductions along the lanes -------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LANEREDUCTION_H
#define HEDDLE_VECTORIZE_LANEREDUCTION_H

#include "LaneVectorizer.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Writes an op that reduces its operands' last dimension: dot products of rows, a row's
/// maximum or sum. As many results as a vector has lanes are accumulated side by side, each in
/// a vector of partial results; a tree of shuffles then folds these vectors into one, which
/// costs two shuffles a result where folding each of them would cost as many as log2(lanes).
class LaneReduction {
public:
  LaneReduction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const LaneOptions &options);

  /// Whether the op has that form: one reduction, which is the last dimension of every input that
  /// has it; one result, whose last dimension is not last in an input that is reduced.
  bool fits();
  mlir::Value emit();

private:
  using Value = mlir::Value;
  bool splitBody();
  Value overOuter(unsigned i, llvm::SmallVector<Value> &at, int64_t count, Value result);
  Value tile(llvm::ArrayRef<Value> at, int64_t count, Value result);
  llvm::SmallVector<Value> chunk(llvm::ArrayRef<Value> at, Value from, int64_t valid,
                                 llvm::ArrayRef<Value> accumulators, int64_t count);
  Value fused(mlir::IRMapping &values, Value accumulator);
  Value combined(Value x, Value accumulator);
  Value folded(llvm::SmallVector<Value> parts);
  Value load(mlir::OpOperand &operand, llvm::ArrayRef<Value> at, Value from, Value mask);
  Value toVector(Value value, int64_t lanes);
  Value onVectors(mlir::Operation &inner, mlir::IRMapping &values, int64_t lanes);
  Value constant(int64_t value);
  Value loop(int64_t end, int64_t step, Value init, llvm::function_ref<Value(Value, Value)> body);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<unsigned> outer; // parallel dimensions but the result's last
  unsigned lane = 0, reduced = 0;
  int64_t width;                              // lanes of an accumulator
  llvm::SmallVector<mlir::Operation *> before, after; // the body's ops without and with the accumulator
  Value term;                                 // what the latter combine with it
  Value start;                                // the result before, where a fill says it
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANEREDUCTION_H
