//===- IntegerArithmetic.h - arith on expressions of sizes ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H
#define HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H

#include "SizeDomain.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// What an operation of arith on integers or indices, scalars or one element of tensors, makes of operands that are
/// these expressions of the sizes of the current import, with places within `places`. None where it is none of the
/// operations that are known, or an integer of its type need not hold the result, or a divisor may be 0.
std::optional<SizeExpression> computeInteger(mlir::Operation *op, llvm::ArrayRef<SizeExpression> operands,
                                             llvm::ArrayRef<SizeBounds> places = {});

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_INTEGERARITHMETIC_H
