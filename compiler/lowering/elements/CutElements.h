//===- CutElements.h - ops brought to elements that are apart ---*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
#define HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// An op for each result where some are sums and others are not, sums first: they read what the other results may be
/// written over. Fails where a result is made of a sum that is another.
mlir::FailureOr<llvm::SmallVector<mlir::linalg::LinalgOp>> splitResults(mlir::RewriterBase &rewriter,
                                                                        mlir::linalg::LinalgOp op);

/// Where few elements are sums of many, each becomes the task of a workgroup of so many threads.
void cutSums(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t threads);

} // namespace heddle

#endif // HEDDLE_LOWERING_ELEMENTS_CUTELEMENTS_H
