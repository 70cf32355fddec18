//===- MainBuilder.h - builds an imported module ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MODULE_MAINBUILDER_H
#define HEDDLE_IMPORT_MODULE_MAINBUILDER_H

#include "heddle/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// What an argument of an imported function says about itself.
struct InputTraits {
  llvm::ArrayRef<llvm::StringRef> dims = {};          // heddle.dims
  std::optional<int64_t> defaultValue = std::nullopt; // heddle.default
  std::optional<std::pair<int64_t, int64_t>> range = std::nullopt; // heddle.range, inclusive
};

/// A module with the public function `main`, built from its start to its return.
/// As a builder it inserts into the body of `main`.
class MainBuilder : public mlir::ImplicitLocOpBuilder {
public:
  explicit MainBuilder(mlir::Location loc);

  mlir::Value addInput(llvm::StringRef name, mlir::RankedTensorType type, const InputTraits &traits = {});

  mlir::ValueRange getInputs() { return main.getArguments(); }

  /// Files with the weights, for a module that is printed (heddle.weight_files), as absolute paths.
  void setWeightFiles(llvm::ArrayRef<std::string> files);

  /// Ends `main` and verifies the module; null where that fails.
  mlir::OwningOpRef<mlir::ModuleOp> finish(llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> results);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_MAINBUILDER_H
