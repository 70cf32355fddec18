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

  /// An argument and a result that are one memory of the caller's, who keeps it between calls. What it holds after this
  /// one, `keepState` says.
  mlir::Value addState(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<llvm::StringRef> dims);
  void keepState(mlir::Value state, mlir::Value after);
  /// The input [batch] tells how much of each sequence's states is filled.
  void markPast(mlir::Value input);

  mlir::ValueRange getInputs() { return main.getArguments(); }

  /// Files with the weights, for a module that is printed (heddle.weight_files), as absolute paths.
  void setWeightFiles(llvm::ArrayRef<std::string> files);

  /// Ends `main` and verifies the module; null where that fails. States come behind the other results.
  mlir::OwningOpRef<mlir::ModuleOp> finish(llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> outputs);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> states; // after the call
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_MAINBUILDER_H
