//===- WeightTable.h - where each weight of a module lies -------*- C++ -*-===//

#ifndef HEDDLE_WEIGHTTABLE_H
#define HEDDLE_WEIGHTTABLE_H

#include "heddle/WeightStore.h"

#include "Heddle.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace heddle {

/// The table's entry for a weight at `offset`.
mlir::Attribute makeWeightEntry(WeightOp op, int64_t offset);

/// Writes the block that the module's table describes, after `prefix` zero bytes: evaluates
/// each recipe.
mlir::FailureOr<std::vector<char>> evaluateWeights(mlir::ModuleOp module, const WeightStore &store,
                                                   uint64_t prefix = 0);

/// Lets one-shot-bufferize turn heddle.weight into a view of @main's block.
void registerWeightBufferization(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_WEIGHTTABLE_H
