//===- SharedWeights.h - weights that classes of sizes share ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SHAREDWEIGHTS_H
#define HEDDLE_COMPILE_SHAREDWEIGHTS_H

#include "heddle/Import.h"

#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Moves those tensors of the model's store that `weights` lacks to `weights`. The model's store becomes empty. If the
/// stores contain different tensors of the same name, such as a table that the import computed, appends `sizes` to the
/// name of the model's tensor, also in its module.
void shareStore(Model &model, WeightStore &weights, llvm::StringRef sizes);

/// Ensures that the code for all classes of sizes uses the same layout of the weights.
class SharedWeights {
public:
  /// The object must be created before the first class is lowered. This class determines the layout.
  explicit SharedWeights(mlir::MLIRContext *context);

  /// Returns `model`, the model of a class, changed such that the same layers are merged in it as in the first class,
  /// also when it is imported again.
  Model mergeAlike(Model model) const;

  /// Checks the module of a class at stage bufferize or later. Its weight table must begin with the table of the
  /// previous class. Emits an error that names a weight if the module stores this weight a second time.
  mlir::LogicalResult check(mlir::ModuleOp module, llvm::StringRef sizes);

private:
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
