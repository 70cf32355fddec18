//===- WeightTable.h - offsets of a module's weights ------------*- C++ -*-===//
//
// From stage bufferize on, a module has a table of its weights as an annotation (heddle.weight_table). The entry of a
// weight contains its name in the store, its recipe (the steps that compute its elements from the stored tensor with
// this name), its type, and its offset in the block of memory with all weights.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTTABLE_H
#define HEDDLE_WEIGHTTABLE_H

#include "heddle/WeightStore.h"

#include "Heddle.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace heddle {

/// Returns the entry of the table for a weight at `offset`.
mlir::Attribute makeWeightEntry(WeightOp op, int64_t offset);

/// Checks the bytes of a weight. The first argument is the weight's entry in the table.
using WeightCheck = llvm::function_ref<mlir::LogicalResult(mlir::DictionaryAttr, llvm::ArrayRef<char>)>;

/// Computes the block of weights from the module's table and passes it to `write` in pieces, in ascending order of
/// offsets. The function evaluates the recipe of each weight immediately before it writes the weight, and releases the
/// memory of mapped files after each recipe, so only one weight is in memory at a time, whatever the total size. Before
/// a weight is written, `check`, if not null, is called with the weight's entry and bytes.
mlir::LogicalResult evaluateWeights(mlir::ModuleOp module, const WeightStore &store,
                                    llvm::function_ref<void(llvm::ArrayRef<char>)> write, WeightCheck check = nullptr);

/// The size in bytes of the largest weight of the table.
uint64_t largestWeight(mlir::ModuleOp module);

/// Lets one-shot-bufferize replace heddle.weight by a view of @main's block of weights.
void registerWeightBufferization(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_WEIGHTTABLE_H
