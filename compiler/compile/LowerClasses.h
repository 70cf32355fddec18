//===- LowerClasses.h - code for each class of sizes ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_LOWERCLASSES_H
#define HEDDLE_COMPILE_LOWERCLASSES_H

#include "LowerModel.h"

namespace heddle {

/// A model for each of its classes of sizes.
struct LoweredClasses {
  std::vector<std::unique_ptr<LowerModel>> classes; // in their order
  const LowerModel *last = nullptr;                 // whose modules list all weights
  ModelInterface interface;                         // of the library
};

/// Lowers a model that has classes. How weights are laid out is decided by one of them, the largest whose sizes are not
/// fixed: an error names a weight that another class would need in another layout, or merged with others, and that would
/// be stored twice. Adds to the weights of the model those that only a class has.
mlir::FailureOr<LoweredClasses> lowerClasses(Model &model, const CompileOptions &options,
                                             llvm::ArrayRef<std::unique_ptr<Target>> targets);

} // namespace heddle

#endif // HEDDLE_COMPILE_LOWERCLASSES_H
