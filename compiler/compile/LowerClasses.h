//===- LowerClasses.h - lowers a model with classes of sizes ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_LOWERCLASSES_H
#define HEDDLE_COMPILE_LOWERCLASSES_H

#include "LowerModel.h"

namespace heddle {

/// The result of lowering a model for each of its classes of sizes.
struct LoweredClasses {
  std::vector<std::unique_ptr<LowerModel>> classes; // in the order of Model::classes
  const LowerModel *last = nullptr;                 // the class that was lowered last; its modules list all weights
  ModelInterface interface;                         // the interface of the library
};

/// Lowers a model that has classes. The largest class without fixed sizes determines the layout of the weights. Emits
/// an error that names a weight if another class needs this weight in a different layout or merged with other weights,
/// because the weight would then be stored twice. If a class has a weight that the model lacks, such as a table that
/// the import computed for the sizes of this class, adds the weight to the model's weights.
mlir::FailureOr<LoweredClasses> lowerClasses(Model &model, const CompileOptions &options,
                                             llvm::ArrayRef<std::unique_ptr<Target>> targets);

} // namespace heddle

#endif // HEDDLE_COMPILE_LOWERCLASSES_H
