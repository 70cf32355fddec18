//===- IntegerArithmetic.h - arith on expressions of sizes ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H
#define HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H

#include "SizeDomain.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Returns the result of an arith operation on integers or indices: a scalar or one element of a tensor. `operands` are
/// the values of the operands as expressions of the current import's sizes, and `places` are the bounds of the
/// element's indices. Returns nothing if the operation is not supported, if the result might not fit into its type, or
/// if a divisor may be 0.
std::optional<SizeExpression> computeInteger(mlir::Operation *op, llvm::ArrayRef<SizeExpression> operands,
                                             llvm::ArrayRef<SizeBounds> places = {});

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H
