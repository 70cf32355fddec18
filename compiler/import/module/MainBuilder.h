//===- MainBuilder.h - builds an imported module ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MODULE_MAINBUILDER_H
#define HEDDLE_IMPORT_MODULE_MAINBUILDER_H

#include "heddle/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Attributes of an argument of an imported function. The comments name the MLIR attributes.
struct InputTraits {
  llvm::ArrayRef<llvm::StringRef> dims = {};          // heddle.dims: a name for each dimension
  std::optional<int64_t> defaultValue = std::nullopt; // heddle.default
  std::optional<std::pair<int64_t, int64_t>> range = std::nullopt; // heddle.range: the smallest and the largest value
};

/// A file with weights.
struct WeightFile {
  std::string path;
  std::string prefix = {}; // the prefix that the file's tensors have in Model::weights
};

/// Builds a module with the public function `main`. Operations are inserted into the body of `main`.
class MainBuilder : public mlir::ImplicitLocOpBuilder {
public:
  explicit MainBuilder(mlir::Location loc);

  /// Adds an argument to `main` and returns it.
  mlir::Value addInput(llvm::StringRef name, mlir::RankedTensorType type, const InputTraits &traits = {});

  /// Adds a state: an argument and a result of `main` that share memory, which the caller keeps between calls. Returns
  /// the argument. `keepState` sets the result, which is the value of the state after the call.
  mlir::Value addState(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<llvm::StringRef> dims);
  void keepState(mlir::Value state, mlir::Value after);
  /// Marks an input [batch] that contains, for each sequence, the number of filled rows in its states.
  void markPast(mlir::Value input);
  /// Records the names of inputs that the imported model has, but that `main` does not have, because the states or the
  /// input with the number of filled rows replace them (notes::replacedInputs).
  void replaceInputs(llvm::ArrayRef<llvm::StringRef> names);

  mlir::ValueRange getInputs() { return main.getArguments(); }

  /// Records the weight files as attributes of the module (heddle.weight_files, with absolute paths, and
  /// heddle.weight_prefixes), so that the weights of a printed module can be found again.
  void setWeightFiles(llvm::ArrayRef<WeightFile> files);

  /// Ends `main`: its results are the outputs, followed by the states. Returns the module. Returns null if verification
  /// fails, or if the model must be imported again with other placeholders for sizes.
  mlir::OwningOpRef<mlir::ModuleOp> finish(llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> outputs);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  // The name of each state and its value after the call.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> states;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_MAINBUILDER_H
