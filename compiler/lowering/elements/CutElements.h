//===- CutElements.h - prepares ops for element loops -----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
#define HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// If the op has several results and reduction loops, replaces it by one op for each result, and returns these ops;
/// otherwise returns the op itself. Ops that compute sums come first, since the remaining ops may overwrite operands of
/// the sums. Fails if a result depends on another result that is a sum.
mlir::FailureOr<llvm::SmallVector<mlir::linalg::LinalgOp>> splitResults(mlir::RewriterBase &rewriter,
                                                                        mlir::linalg::LinalgOp op);

/// If the op's result has few elements, and each element is a sum of many terms, makes each element a task for a
/// workgroup of `threads` threads. Otherwise does nothing.
void cutSums(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t threads);

} // namespace heddle

#endif // HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
