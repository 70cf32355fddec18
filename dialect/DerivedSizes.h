//===- DerivedSizes.h - sizes computed from others --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_DERIVEDSIZES_H
#define HEDDLE_DIALECT_DERIVEDSIZES_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// A size that is computed from other sizes, such as "past + new" or "s floordiv 2". The expression refers to other
/// sizes by their positions in the module's SizeRanges. `placeholder` has a prime factor that no other placeholder has.
/// Usually the placeholder equals the value of the expression at the placeholders of the sizes. It may differ if the
/// expression contains quotients, minima, maxima or comparisons, or decreases with a size, such as "8 - s". The bounds
/// are stored because they are read often and computing them may require an enumeration of sizes.
struct DerivedSize {
  llvm::StringRef name; // the text of the expression
  SizeExpression expression;
  int64_t placeholder = 0;
  int64_t low = 0, high = 0; // the bounds of the size; 0 <= low <= high
};
using DerivedSizes = llvm::SmallVector<DerivedSize>;

/// Returns the derived sizes of the module's annotation. Their names refer to strings of the module.
DerivedSizes derivedSizes(mlir::ModuleOp module);
/// Annotates the module with these derived sizes.
void setDerivedSizes(mlir::ModuleOp module, llvm::ArrayRef<DerivedSize> sizes);

/// Annotates the module, which must already have heddle.sizes, with one derived size for each of `expressions`. Names,
/// bounds and placeholders are computed from the expressions. Emits an error if a value does not fit into 64 bits or is
/// negative at some of the sizes, if the expression needs more than SizeExpression::maxStacked stack entries, or if its
/// placeholder would be less than 2.
mlir::LogicalResult deriveSizes(mlir::ModuleOp module, llvm::ArrayRef<SizeExpression> expressions);

} // namespace heddle

#endif // HEDDLE_DIALECT_DERIVEDSIZES_H
