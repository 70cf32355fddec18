//===- LowerModel.h - runs the stages from recognise to llvm ----*- C++ -*-===//

#ifndef HEDDLE_COMPILE_LOWERMODEL_H
#define HEDDLE_COMPILE_LOWERMODEL_H

#include "abi/ModelInterface.h"
#include "compile/ScaleLimit.h"
#include "heddle/Compile.h"

namespace heddle {

/// Lowers a model, or one class of sizes of a model (SizeClass), for each target of a library.
class LowerModel {
public:
  /// `sizes` is the name of the class, or "" if there are no classes.
  LowerModel(Model model, const CompileOptions &options, llvm::ArrayRef<std::unique_ptr<Target>> targets,
             std::string sizes = "")
      : model(std::move(model)), options(options), targets(targets), sizes(std::move(sizes)),
        loc(this->model.module->getLoc()) {}

  /// Runs the stages from recognise to llvm, or up to the last stage that the options request. Then replaces
  /// placeholders by the sizes of the call (SubstituteSizes.h). `before` is the class of sizes that was lowered before
  /// this class, or null. The weights of `before` keep their layout, and weights that `before` lacks are added after
  /// them.
  mlir::LogicalResult run(const LowerModel *before = nullptr);

  /// Returns the module of each target, at stage tile or later.
  llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> getModules() const { return modules; }
  /// The interface of the model (inputs, outputs, sizes, weights), with a variant for each target.
  ModelInterface interface;
  /// The variants, one for each target.
  std::vector<CompiledVariant> variants;
  /// The scales of int8 weights. writeWeights refuses scales above 2^96 (ScaleLimit.h).
  ScaleLimit scales;

private:
  mlir::LogicalResult lower();
  mlir::LogicalResult substituteSizes();
  mlir::LogicalResult substituteSizes(int placeholderSet, std::string &difference);
  mlir::LogicalResult addDeviceProgram();
  bool isSameProgram(mlir::ModuleOp other);
  mlir::LogicalResult lowerVariant(const Target &target, mlir::ModuleOp module);
  mlir::LogicalResult runStages(mlir::ModuleOp module, Stage from, Stage to, const Target *target);
  mlir::LogicalResult readInterface(mlir::ModuleOp module, Stage stage);
  /// Makes the table of weights of `module` begin with the table of the previous module, which is the last one in
  /// `known` or, if `known` is empty, a module of the class `before`.
  void continueWeights(mlir::ModuleOp module, llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> known);
  /// Returns the target if there is only one, as for a device; null if the library is for several CPUs. The stages
  /// before tile are the same for all CPUs.
  const Target *findOnlyTarget() const { return targets.size() == 1 ? targets.front().get() : nullptr; }
  /// Returns whether `stage` is not after the last stage that the options request.
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  llvm::ArrayRef<std::unique_ptr<Target>> targets;
  std::string sizes; // the name of the class; empty if there are no classes
  mlir::Location loc;
  const LowerModel *before = nullptr;                     // the argument of run()
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules; // one for each target
  // The modules of an earlier attempt, compiled with another set of placeholders, if the comparison of `modules` with
  // them gave SizesSubstituted::Unsure. The next attempt compares `modules` with them again.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> unsure;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_LOWERMODEL_H
