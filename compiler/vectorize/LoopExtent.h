//===- LoopExtent.h - how far a loop goes -----------------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LOOPEXTENT_H
#define HEDDLE_VECTORIZE_LOOPEXTENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The iterations of a loop. Where they are known when code is made, who cuts a loop asks here what whole steps cover
/// and what is left; an end that only the call knows is a value.
class LoopExtent {
public:
  LoopExtent(int64_t size) : LoopExtent(0, size) {}
  LoopExtent(int64_t begin, int64_t end) : from(begin), to(end) {}
  explicit LoopExtent(mlir::Value end) : from(0), to(mlir::ShapedType::kDynamic), atCall(end) {}

  bool isFixed() const { return !atCall; }
  /// The end that only the call knows; null where it is known.
  mlir::Value endAtCall() const { return atCall; }
  /// What to make tiles for: the size, or that there are many.
  int64_t expected() const { return isFixed() ? size() : int64_t(1) << 20; }

  int64_t begin() const { return from; }
  int64_t end() const { return to; }
  int64_t size() const { return to - from; }
  int64_t steps(int64_t step) const { return llvm::divideCeil(size(), step); }
  /// The end of what whole steps cover.
  int64_t wholeEnd(int64_t step) const { return to - rest(step); }
  int64_t rest(int64_t step) const { return size() % step; }

private:
  int64_t from, to;
  mlir::Value atCall;
};

/// The loops of an op on tensors, those whose end only the call knows if these are `allowed`. Says at the op why it has
/// none that can be vectorised.
mlir::FailureOr<llvm::SmallVector<LoopExtent>> extentsOf(mlir::linalg::LinalgOp op, mlir::OpBuilder *allowed = nullptr);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LOOPEXTENT_H
