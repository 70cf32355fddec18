//===- SharedWeights.h - weights that classes of sizes share ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SHAREDWEIGHTS_H
#define HEDDLE_COMPILE_SHAREDWEIGHTS_H

#include "heddle/Import.h"

#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Moves tensors that `weights` lacks from the model's store, which becomes empty. If a tensor of the same name differs
/// (for example a table that the import computed), it is renamed by appending `sizes`, also in the module.
void shareStore(Model &model, WeightStore &weights, llvm::StringRef sizes);

/// Ensures that the code for all classes of sizes uses the same layout of the weights.
class SharedWeights {
public:
  /// Created before the first class, which determines the layout.
  explicit SharedWeights(mlir::MLIRContext *context);

  /// Makes the model of a class merge layers as the first class does, also if it is imported again.
  Model mergeAlike(Model model) const;

  /// Checks the module of a class at stage bufferize or later, whose weight table continues the table of the class
  /// before it. Emits an error that names a weight if the module stores it a second time.
  mlir::LogicalResult check(mlir::ModuleOp module, llvm::StringRef sizes);

private:
  void add(mlir::DictionaryAttr entry, llvm::StringRef sizes);

  // The number of entries of the table that were checked.
  size_t entries = 0;
  // By the name of the tensor: its entry, and the class that has it.
  llvm::StringMap<std::pair<mlir::DictionaryAttr, std::string>> stored;
  mlir::ArrayAttr merged;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SHAREDWEIGHTS_H
