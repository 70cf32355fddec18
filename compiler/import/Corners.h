//===- Corners.h - what an import makes of other sizes ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_CORNERS_H
#define HEDDLE_IMPORT_CORNERS_H

#include "heddle/Import.h"

namespace heddle {

/// Whether `fixed`, a model imported with the numbers `values` in the place of the sizes of `model` that lie in ranges,
/// is `model` at these sizes: the same operations on the same values, every number the same or a product of the sizes,
/// whatever reshapes, and broadcasts of one element, lie between.
/// Then what the importer decided is decided so for both; where it is not, an error says at which operation. A constant
/// that has one of these sizes may be the beginning of the other's (Tables.h), or the other's of it; with `tables`,
/// which receives those of `fixed`, only the first.
mlir::LogicalResult isSameAt(mlir::ModuleOp model, llvm::ArrayRef<int64_t> values, mlir::ModuleOp fixed,
                             ConstantTables *tables = nullptr);

} // namespace heddle

#endif // HEDDLE_IMPORT_CORNERS_H
