//===- Affine.h - evaluation of affine expressions --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_AFFINE_H
#define HEDDLE_DIALECT_INTERPRETER_AFFINE_H

#include "mlir/IR/AffineMap.h"

namespace heddle {

/// Returns the value of `expr` for these values of dimensions and symbols; failure if `expr` divides by a number that
/// is not positive. Sums and products wrap around if they overflow 64 bits.
mlir::FailureOr<int64_t> evaluateExpr(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims,
                                      llvm::ArrayRef<int64_t> symbols = {});

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_AFFINE_H
