//===- Corners.h - what an import makes of other sizes ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_CORNERS_H
#define HEDDLE_IMPORT_CORNERS_H

#include "heddle/Import.h"

namespace heddle {

/// Sees a constant of a model in ranges, by its number and elements, and what it is where the sizes are others, if that
/// is not what its rule says, or it has none; tells whether it may be that.
using SeeConstant = llvm::function_ref<bool(unsigned, mlir::DenseElementsAttr, mlir::DenseElementsAttr)>;

/// Whether `fixed`, a model imported with the numbers `values` in the place of the sizes of `model` that lie in ranges,
/// is `model` at these sizes: the same operations on the same values, every number the same or a product of the sizes,
/// every constant what its rule among `rules` says, whatever reshapes, and broadcasts of one element, lie between.
/// Then what the importer decided is decided so for both; where it is not, an error says at which operation.
mlir::LogicalResult isSameAt(mlir::ModuleOp model, llvm::ArrayRef<int64_t> values, mlir::ModuleOp fixed,
                             const ConstantRules &rules = {}, SeeConstant see = nullptr);

} // namespace heddle

#endif // HEDDLE_IMPORT_CORNERS_H
