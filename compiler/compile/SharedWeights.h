//===- SharedWeights.h - weights that classes of sizes share ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SHAREDWEIGHTS_H
#define HEDDLE_COMPILE_SHAREDWEIGHTS_H

#include "heddle/Import.h"

#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Adds tensors that `weights` lacks from the model's store, which is emptied. Of one that is another there (a table that
/// an import computed) the name gets `sizes` behind it, in the module as well.
void shareStore(Model &model, WeightStore &weights, llvm::StringRef sizes);

/// How the code for one class of sizes has its weights, and that for all others.
class SharedWeights {
public:
  /// Before the first class, which decides.
  explicit SharedWeights(mlir::MLIRContext *context);

  /// The model of a class, in which layers are merged as in the one that decides, also where it is imported again.
  Model mergeAlike(Model model) const;

  /// That the module of a class at stage bufferize or later, whose table goes on where that of the class before it ended,
  /// has none of these weights once more. An error names it.
  mlir::LogicalResult check(mlir::ModuleOp module, llvm::StringRef sizes);

private:
  void add(mlir::DictionaryAttr entry, llvm::StringRef sizes);

  size_t entries = 0;                                                         // of the table that are known
  llvm::StringMap<std::pair<mlir::DictionaryAttr, std::string>> stored;       // by stored tensor, and for which sizes
  mlir::ArrayAttr merged;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SHAREDWEIGHTS_H
