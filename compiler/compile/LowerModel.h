//===- LowerModel.h - stages recognise to llvm for all targets --*- C++ -*-===//

#ifndef HEDDLE_COMPILE_LOWERMODEL_H
#define HEDDLE_COMPILE_LOWERMODEL_H

#include "abi/ModelInterface.h"
#include "compile/ScaleLimit.h"
#include "heddle/Compile.h"

namespace heddle {

/// A model, or one class of its sizes (SizeClass), on its way to code for each target of a library.
class LowerModel {
public:
  /// `sizes` is the name of its class; "" where there are no classes.
  LowerModel(Model model, const CompileOptions &options, llvm::ArrayRef<std::unique_ptr<Target>> targets,
             std::string sizes = "")
      : model(std::move(model)), options(options), targets(targets), sizes(std::move(sizes)),
        loc(this->model.module->getLoc()) {}

  /// Stages recognise to llvm, or the last one that is asked for, then the sizes themselves in the place of what stands
  /// for them (OpenSizes.h). `before`, if not null, is another class of the model: weights are laid out as there, and
  /// those that it lacks follow behind.
  mlir::LogicalResult run(const LowerModel *before = nullptr);

  /// Of each target, from stage tile on.
  llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> getModules() const { return modules; }
  /// Of all targets.
  ModelInterface interface;
  /// One for each target.
  std::vector<CompiledVariant> variants;
  ScaleLimit scales;

private:
  mlir::LogicalResult lower();
  mlir::LogicalResult openSizes();
  mlir::LogicalResult openSizes(int primes, std::string &difference);
  mlir::LogicalResult addDeviceProgram();
  bool isSameProgram(mlir::ModuleOp other);
  mlir::LogicalResult lowerVariant(const Target &target, mlir::ModuleOp module);
  mlir::LogicalResult runStages(mlir::ModuleOp module, Stage from, Stage to, const Target *target);
  mlir::LogicalResult readInterface(mlir::ModuleOp module, Stage stage);
  /// The weights of `module` go on where those of the module before it end: among `known`, or in another class.
  void continueWeights(mlir::ModuleOp module, llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> known);
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  llvm::ArrayRef<std::unique_ptr<Target>> targets;
  std::string sizes;
  mlir::Location loc;
  const LowerModel *before = nullptr;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> unsure; // the same with other primes, if that did not tell enough of sizes
};

} // namespace heddle

#endif // HEDDLE_COMPILE_LOWERMODEL_H
