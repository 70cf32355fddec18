//===- DerivedSizes.h - sizes computed from others --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_DERIVEDSIZES_H
#define HEDDLE_DIALECT_DERIVEDSIZES_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// A size that is computed from other sizes: "past + new", "s floordiv 2". Sizes are numbered in the expression as in
/// the list of SizeRanges. `placeholder` is the placeholder: it has a prime factor that no other placeholder has, and
/// equals the expression's value at the other placeholders unless the expression has quotients, minima or comparisons.
/// The bounds are stored because the corners of the ranges do not give them and because they are read often.
struct DerivedSize {
  llvm::StringRef name;
  SizeExpression expression;
  int64_t placeholder = 0;
  int64_t low = 0, high = 0; // 0 <= low <= high
};
using DerivedSizes = llvm::SmallVector<DerivedSize>;

/// The derived sizes that the module is annotated with. Their names refer to strings of the module.
DerivedSizes derivedSizes(mlir::ModuleOp module);
void setDerivedSizes(mlir::ModuleOp module, llvm::ArrayRef<DerivedSize> sizes);

/// Annotates the module, which has its sizes, with the sizes that `expressions` compute. Names, bounds and placeholders
/// are computed from the expressions. Fails with an error if a value does not fit into 64 bits or is negative at some
/// of the sizes.
mlir::LogicalResult deriveSizes(mlir::ModuleOp module, llvm::ArrayRef<SizeExpression> expressions);

} // namespace heddle

#endif // HEDDLE_DIALECT_DERIVEDSIZES_H
