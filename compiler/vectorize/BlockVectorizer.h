//===- BlockVectorizer.h - a linalg op as loops over vectors ----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_BLOCKVECTORIZER_H
#define HEDDLE_VECTORIZE_BLOCKVECTORIZER_H

#include "Hints.h"
#include "LaneBody.h"
#include "Vectorizer.h"

#include <map>

namespace heddle {

/// Returns the epilogue of `op`, a product or other reduction: first any number of elementwise ops that update its
/// result in place, then at most one op that reduces the result. These ops are emitted inside the loops of `op` and
/// read its values from registers, so no second pass over the result in memory is necessary. An op that
/// FoldVectorizer vectorises has no epilogue.
llvm::SmallVector<mlir::linalg::GenericOp> epilogueOf(mlir::linalg::LinalgOp op, const VectorOptions &options);

/// Emits the loops and vectors of one linalg op on tensors. Each loop dimension has one of these roles:
///
/// * `lane`: runs along the lanes of 1-D vectors.
/// * `row`: unrolled into registers. One step of this loop covers the rows of the register tile of a contraction, or of
///   a square tile that is transposed in registers.
/// * outer: the other parallel dimensions, one loop each.
/// * reductions: the innermost loops, which carry accumulators in registers.
class BlockVectorizer {
public:
  /// `epilogue`: the result of epilogueOf(op), or empty.
  BlockVectorizer(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, const VectorOptions &options,
                  llvm::ArrayRef<mlir::linalg::GenericOp> epilogue = {});

  /// Chooses the role of each loop dimension. Emits an error at the op and fails if it cannot be vectorised.
  mlir::LogicalResult classify();
  /// Emits the code and returns the values that replace the op's results. The first value also replaces the results of
  /// the epilogue ops that work in place. If an epilogue op reduces the result, a second value replaces the result of
  /// that op.
  llvm::SmallVector<mlir::Value> emit();

private:
  /// How one output of the op is computed.
  struct Output {
    bool reduced = false;  // accumulated in registers, stored after the reduction loops
    mlir::Value fill;      // the scalar that accumulators start from, if the destination is a linalg.fill; else null
    unsigned firstCarried; // the index in `carried` of the output's first accumulator
  };

  // BlockVectorizer.cpp: roles of the dimensions, and loops.
  mlir::LogicalResult classifyOperand(mlir::OpOperand &operand);
  void chooseSteps();
  void emitOuter(unsigned i);
  void emitRows();
  void emitReduction(unsigned i);
  void steps(unsigned dim, const Extent &extent, int64_t step, llvm::ArrayRef<unsigned> live,
             llvm::function_ref<void()> body, int64_t begin = 0);
  void emitBody();
  llvm::SmallVector<mlir::Value> emitBody(int64_t u, int64_t j);

  // BlockOperand.cpp: loads and stores of operands as vectors, at row `u` and vector `j` of the register tile.
  bool isBound(mlir::AffineMap map);
  void preload();
  mlir::Value loadedValue(mlir::OpOperand &operand, int64_t u, int64_t j);
  mlir::Value load(mlir::OpOperand &operand, mlir::Value from, int64_t u, int64_t j);
  mlir::Value unpadded(mlir::OpOperand &operand);
  void loadTransposed(mlir::OpOperand &operand, int64_t j);
  void store(unsigned output, mlir::Value value, int64_t u, int64_t j);
  llvm::SmallVector<mlir::OpFoldResult> indices(mlir::AffineMap map, int64_t u, int64_t j);
  mlir::OpFoldResult indexOf(unsigned dim, int64_t u, int64_t j);

  // BlockEpilogue.cpp: the epilogue, which reads a tile's values from registers.
  void emitEpilogue(llvm::SmallVector<mlir::Value> &values);
  void gather(mlir::OpOperand &from, llvm::ArrayRef<mlir::Value> values);

  mlir::RewriterBase &rewriter;
  VectorBuilder b;
  mlir::linalg::LinalgOp op;
  VectorOptions options;
  llvm::SmallVector<mlir::linalg::GenericOp> epilogue;

  llvm::SmallVector<Extent> extents;             // the number of iterations of each loop
  llvm::SmallVector<unsigned> outer, reductions; // the loops with these roles, outermost first
  unsigned lane = 0;                             // the loop along the lanes
  std::optional<unsigned> row;                   // the loop that is unrolled, if any
  bool transposes = false; // an operand has `row` as its last dimension, where the result has `lane`
  int64_t rowStep = 1, laneStep = 1; // rows, and elements along the lanes, of a full register tile
  int64_t filledLanes = 0; // the extent of `lane` without the zero padding of a transposed operand; 0: dynamic
  llvm::SmallVector<Output> outputs;
  ReadPrefetcher prefetcher;

  // The state of the emission. `base` is the index of each loop (null outside of the loop). The current register tile
  // has `rows` rows of `vectors` vectors of `width` lanes. `carried` contains the `tensors` tensors that are written,
  // followed by the accumulators. `loaded` contains the vectors that were read, by operand number, row and vector.
  llvm::SmallVector<mlir::OpFoldResult> base;
  int64_t rows = 1, vectors = 1, width = 1;
  llvm::SmallVector<mlir::Value> carried;
  unsigned tensors = 0;
  std::map<std::tuple<unsigned, int64_t, int64_t>, mlir::Value> loaded;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_BLOCKVECTORIZER_H
