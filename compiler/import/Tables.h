//===- Tables.h - constants that have a size in a range ---------*- C++ -*-===//
//
// Positions 0, 1, 2, .., or which keys come after a query: what an importer computes of a
// size is, for a smaller one, the beginning of it in each dimension. So the constant of the
// largest size is a table, of which a call with another size takes the beginning.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_TABLES_H
#define HEDDLE_IMPORT_TABLES_H

#include "heddle/Import.h"

namespace heddle {

/// Whether two constants of the same rank have the same elements as far as both go.
bool agree(mlir::DenseElementsAttr one, mlir::DenseElementsAttr other);

/// In the place of constants the beginnings of their tables.
mlir::LogicalResult takeTables(mlir::ModuleOp model, const ConstantTables &tables);

/// Large constants become weights.
mlir::LogicalResult storeLargeConstants(Model &model);

} // namespace heddle

#endif // HEDDLE_IMPORT_TABLES_H
