//===- BlockVectorizer.h - linalg on blocks as vectors ----------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_BLOCKVECTORIZER_H
#define HEDDLE_VECTORIZE_BLOCKVECTORIZER_H

#include "Hints.h"
#include "LaneBody.h"
#include "Vectorizer.h"

#include <map>

namespace heddle {

/// The ops behind a product that go through its result element by element: any number in place of it, then one that
/// reduces it. They are part of the product's loops, so they need no sweep of their own over a result in memory.
llvm::SmallVector<mlir::linalg::GenericOp> followersOf(mlir::linalg::LinalgOp op, const VectorOptions &options);

/// Writes the loops and vectors of one linalg op. Loop dimensions play one of
/// these parts: `lane` (vectors), `row` (unrolled into registers: the rows of a
/// contraction's tile, or the rows of a turned square), the other parallel
/// ones (loops), reductions (innermost loops, with accumulators in registers).
class BlockVectorizer {
public:
  /// `followers`: ops of followersOf(op), which take its values in registers.
  BlockVectorizer(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const VectorOptions &options,
              llvm::ArrayRef<mlir::linalg::GenericOp> followers = {});

  /// Assigns the parts; says at the op why it does not fit.
  mlir::LogicalResult classify();
  /// The new values of the op's results, or of the last of the ops that follow in place; behind them those of a follower
  /// beside it.
  llvm::SmallVector<mlir::Value> emit();

private:
  struct Output {
    bool reduced = false;  // accumulated in registers, stored after the reduction loops
    mlir::Value fill;      // what an accumulator starts from, where a fill says it
    unsigned firstCarried; // its first accumulator in `carried`
  };

  // BlockVectorizer.cpp: parts and loops.
  mlir::LogicalResult classifyOperand(mlir::OpOperand &operand);
  void chooseSteps();
  void emitOuter(unsigned i);
  void emitRows();
  void emitReduction(unsigned i);
  void steps(unsigned dim, const Extent &extent, int64_t step, llvm::ArrayRef<unsigned> live,
             llvm::function_ref<void()> body, int64_t begin = 0);
  void emitBody();
  llvm::SmallVector<mlir::Value> emitBody(int64_t u, int64_t j);

  // BlockOperand.cpp: operands to vectors and back.
  bool isBound(mlir::AffineMap map);
  void preload();
  mlir::Value loadedValue(mlir::OpOperand &operand, int64_t u, int64_t j);
  mlir::Value load(mlir::OpOperand &operand, mlir::Value from, int64_t u, int64_t j);
  mlir::Value unpadded(mlir::OpOperand &operand);
  void loadTransposed(mlir::OpOperand &operand, int64_t j);
  void store(unsigned output, mlir::Value value, int64_t u, int64_t j);
  llvm::SmallVector<mlir::OpFoldResult> indices(mlir::AffineMap map, int64_t u, int64_t j);
  mlir::OpFoldResult indexOf(unsigned dim, int64_t u, int64_t j);

  // BlockFollowers.cpp: ops that take a tile's values in registers.
  void emitFollowers(llvm::SmallVector<mlir::Value> &values);
  void gather(mlir::OpOperand &from, llvm::ArrayRef<mlir::Value> values);

  mlir::RewriterBase &rewriter;
  VectorBuilder b;
  mlir::linalg::LinalgOp op;
  VectorOptions options;
  llvm::SmallVector<mlir::linalg::GenericOp> followers;

  llvm::SmallVector<Extent> extents;
  llvm::SmallVector<unsigned> outer, reductions;
  unsigned lane = 0;
  std::optional<unsigned> row;
  bool transposes = false; // some operand has `row` where the result has `lane`
  int64_t rowStep = 1, laneStep = 1;
  int64_t filledLanes = 0; // those before the padding of a turned operand
  llvm::SmallVector<Output> outputs;
  ReadsAhead ahead;

  // Where the emission stands: the loops' indices (null: not inside yet), the
  // unrolling of the current tile, the tensors (the first `tensors`) and accumulators in flight.
  llvm::SmallVector<mlir::OpFoldResult> base;
  int64_t rows = 1, vectors = 1, width = 1;
  llvm::SmallVector<mlir::Value> carried;
  unsigned tensors = 0;
  std::map<std::tuple<unsigned, int64_t, int64_t>, mlir::Value> loaded;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_BLOCKVECTORIZER_H
