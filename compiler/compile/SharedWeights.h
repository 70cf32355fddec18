//===- SharedWeights.h - weights that classes of sizes share ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SHAREDWEIGHTS_H
#define HEDDLE_COMPILE_SHAREDWEIGHTS_H

#include "heddle/Import.h"

#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Moves those tensors of the model's store that `weights` lacks to `weights`. The model's store becomes empty. The
/// stores may contain different tensors of the same name, such as tables that the import computed for different sizes.
/// In this case, appends " of " and `sizes`, the name of the model's class, to the name of the model's tensor, also in
/// the model's module.
void shareStore(Model &model, WeightStore &weights, llvm::StringRef sizes);

/// Ensures that the code for all classes of sizes (parts of the ranges that have code of their own) uses the same
/// layout of the weights.
class SharedWeights {
public:
  /// The object must be created before the first class is lowered. The first class determines the layout.
  explicit SharedWeights(mlir::MLIRContext *context);

  /// Returns `model`, the model of a class, with an annotation: passes that merge the weights of several layers merge
  /// the same layers as in the first class. The annotation is also added when the model is imported again.
  Model mergeAlike(Model model) const;

  /// Checks the module of a class at stage bufferize or later. The module's weight table (WeightTable.h) lists its
  /// weights with their recipes (steps such as slicing and packing). The table must begin with the table of the
  /// previous class. If the module stores a weight a second time, emits an error that names the weight.
  mlir::LogicalResult check(mlir::ModuleOp module, llvm::StringRef sizes);

private:
  /// Adds to `stored` an entry of the weight table that the class `sizes` has added to the table.
  void add(mlir::DictionaryAttr entry, llvm::StringRef sizes);

  // The number of entries of the table that were checked.
  size_t entries = 0;
  // The entry of each tensor in the table, and the class that stores it, by the name of the tensor.
  llvm::StringMap<std::pair<mlir::DictionaryAttr, std::string>> stored;
  // The annotation notes::mergedWeights for the modules of further classes.
  mlir::ArrayAttr merged;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SHAREDWEIGHTS_H
