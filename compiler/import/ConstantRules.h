//===- ConstantRules.h - constants that have a size in a range --*- C++ -*-===//
//
// Positions 0, 1, 2, .., or which keys come after a query: importers compute such constants
// of sizes. Here is what they can be, so that a call with another size has what an import of
// that size would: the part of a table, or one number on one side of a diagonal and another
// on its other side.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_CONSTANTRULES_H
#define HEDDLE_IMPORT_CONSTANTRULES_H

#include "heddle/Import.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// That `constant`, one of whose last two dimensions has a size, is one number up to a diagonal of these, and another
/// behind it.
std::optional<ConstantRule> findDiagonal(const Sizes &sizes, mlir::DenseElementsAttr constant);

/// That `constant` is the beginning of `table`, in each dimension.
std::optional<ConstantRule> findBeginning(mlir::DenseElementsAttr constant, mlir::DenseElementsAttr table);

/// That `largest`, the constant of the largest sizes, is the beginning of `constant`, where that is not much longer.
/// Then what stands for a size in a short range may be larger than a tile is.
std::optional<ConstantRule> findLongerTable(const Sizes &sizes, mlir::DenseElementsAttr constant,
                                            mlir::DenseElementsAttr largest);

/// What a constant of this shape is where sizes are `values`; null where its table is shorter.
mlir::DenseElementsAttr elementsAt(const ConstantRule &rule, llvm::ArrayRef<int64_t> shape, const Sizes &sizes,
                                   llvm::ArrayRef<int64_t> values);

/// Calls `see` with each constant of a model, and its number among them.
void forEachConstant(mlir::ModuleOp model,
                     llvm::function_ref<void(unsigned, mlir::arith::ConstantOp)> see);

/// In the place of constants what they are at any size.
mlir::LogicalResult takeRules(mlir::ModuleOp model, const ConstantRules &rules, llvm::ArrayRef<int64_t> values);

/// Large constants become weights.
mlir::LogicalResult storeLargeConstants(Model &model);

} // namespace heddle

#endif // HEDDLE_IMPORT_CONSTANTRULES_H
