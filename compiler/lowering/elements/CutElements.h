//===- CutElements.h - prepares ops for element loops -----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
#define HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// If some results of the op are sums and others are not, replaces it by one op per result, sums first, since the other
/// results may overwrite what they read. Fails if a result depends on another result that is a sum.
mlir::FailureOr<llvm::SmallVector<mlir::linalg::LinalgOp>> splitResults(mlir::RewriterBase &rewriter,
                                                                        mlir::linalg::LinalgOp op);

/// If the op has few results that are sums of many terms, makes each result a task of a workgroup with `threads`
/// threads.
void cutSums(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t threads);

} // namespace heddle

#endif // HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
