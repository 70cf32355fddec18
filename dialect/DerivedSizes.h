//===- DerivedSizes.h - sizes that are computed from others -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_DERIVEDSIZES_H
#define HEDDLE_DIALECT_DERIVEDSIZES_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// A size that is computed from others: "past + new", "s floordiv 2". A size's number in the expression is its place among
/// the SizeRanges. `stands` has a factor that is in no other number which stands for a size; it is the expression's value
/// at what stands for these, but where that has quotients, minima or comparisons. The least and the largest that it can be
/// are kept here since no corner of the ranges tells them, and since everybody asks.
struct DerivedSize {
  llvm::StringRef name;
  SizeExpression expression;
  int64_t stands = 0;
  int64_t low = 0, high = 0; // 0 <= low <= high
};
using DerivedSizes = llvm::SmallVector<DerivedSize>;

/// Those that are noted on a module. Names are the module's.
DerivedSizes derivedSizes(mlir::ModuleOp module);
void setDerivedSizes(mlir::ModuleOp module, llvm::ArrayRef<DerivedSize> sizes);

/// Notes on a module, which has its sizes, that these are computed from them and are sizes as well. Names, bounds and what
/// stands for them follow. An error where one is no number at some of the sizes, or less than 0.
mlir::LogicalResult deriveSizes(mlir::ModuleOp module, llvm::ArrayRef<SizeExpression> expressions);

} // namespace heddle

#endif // HEDDLE_DIALECT_DERIVEDSIZES_H
