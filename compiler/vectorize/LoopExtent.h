//===- LoopExtent.h - how far a loop goes -----------------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LOOPEXTENT_H
#define HEDDLE_VECTORIZE_LOOPEXTENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The iterations of a loop. They are known when code is made; who cuts a loop asks here what whole steps cover and
/// what is left, so that an end that only the call knows has one place to go.
class LoopExtent {
public:
  LoopExtent(int64_t size) : LoopExtent(0, size) {}
  LoopExtent(int64_t begin, int64_t end) : from(begin), to(end) {}

  int64_t begin() const { return from; }
  int64_t end() const { return to; }
  int64_t size() const { return to - from; }
  int64_t steps(int64_t step) const { return llvm::divideCeil(size(), step); }
  /// The end of what whole steps cover.
  int64_t wholeEnd(int64_t step) const { return to - rest(step); }
  int64_t rest(int64_t step) const { return size() % step; }

private:
  int64_t from, to;
};

/// The loops of an op on tensors. Says at the op why it has none that can be vectorised.
mlir::FailureOr<llvm::SmallVector<LoopExtent>> extentsOf(mlir::linalg::LinalgOp op);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LOOPEXTENT_H
