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

/// Hands the block that the module's table describes to `write`, piece by piece from its beginning to its end. Each
/// recipe is evaluated when it is its turn, and memory of mapped files given back, so that no more than one weight is
/// in memory, whatever the size of all. `check`, if not null, is called with each entry and its bytes first.
using WeightCheck = llvm::function_ref<mlir::LogicalResult(mlir::DictionaryAttr, llvm::ArrayRef<char>)>;
mlir::LogicalResult evaluateWeights(mlir::ModuleOp module, const WeightStore &store,
                                    llvm::function_ref<void(llvm::ArrayRef<char>)> write, WeightCheck check = nullptr);

/// Bytes of the largest weight of the table.
uint64_t largestWeight(mlir::ModuleOp module);

/// Lets one-shot-bufferize turn heddle.weight into a view of @main's block.
void registerWeightBufferization(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_WEIGHTTABLE_H
