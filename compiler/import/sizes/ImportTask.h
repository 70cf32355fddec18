//===- ImportTask.h - one import of a model ---------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_IMPORTTASK_H
#define HEDDLE_IMPORT_SIZES_IMPORTTASK_H

#include "heddle/Import.h"

namespace heddle {

struct Placeholders;
struct HiddenSize;

/// The request for one import of a model, and the results of earlier imports of the same model: a model with sizes in
/// ranges is imported several times.
struct ImportTask : ImportOptions {
  explicit ImportTask(const ImportOptions &options = {}) : ImportOptions(options) {}

  /// The sets of placeholders, once the import has chosen them. SizeOptions::placeholderSet is an index into this
  /// vector.
  std::vector<std::shared_ptr<const Placeholders>> placeholders;
  /// A size that the import introduces itself and that the model does not have (sizes/HiddenSize.h); null: none.
  std::shared_ptr<const HiddenSize> hidden;
  /// The intervals that the sizes of this import lie in.
  llvm::StringMap<std::pair<int64_t, int64_t>> bounds;
  /// Sums of symbolic dimensions that are dimensions themselves: maps the name of such a dimension to its terms, "past
  /// + new".
  llvm::StringMap<std::string> sumNames;
  /// For sizes in ranges: the outputs with a row for each position, once the import has found them. They are kept
  /// because at a single size other outputs may look as if they had such rows.
  std::optional<std::vector<std::string>> paddedOutputs;
  /// The result that a failure is explained in; null if nobody asks why.
  ImportResult *result = nullptr;

  /// Records whether the failure of this import is wrong usage.
  void setWrongUsage(bool isWrong = true) const {
    if (result)
      result->wrongUsage = isWrong;
  }
};

/// Emits an error about wrong usage if `options.dims` has a name that is not in `known`.
mlir::LogicalResult checkDimNames(mlir::Location loc, const ImportTask &options, llvm::ArrayRef<std::string> known);

/// Records in `open` that the size `name` is not given, and that `place` is a dimension of an input with this size. If
/// `open` does not contain `name` yet, it is added with a suggested size.
void addOpenDim(llvm::SmallVectorImpl<OpenDim> &open, llvm::StringRef name, SizePlace place);

/// Returns the size of a dimension, or nothing if it is not given. If the name of the dimension is a sum, such as
/// "past + new", of dimensions in `names` (the names of all dimensions that the model does not fix), sets `isSum` and
/// computes the size from the terms. Otherwise `options.dims` gives the size. Emits an error if `options.dims`
/// contradicts the sum.
mlir::FailureOr<std::optional<int64_t>> sizeOfDim(mlir::Location loc, const ImportTask &options, llvm::StringRef name,
                                                  llvm::ArrayRef<std::string> names, bool &isSum);

/// Emits an error that says which sizes to give if `open`, the dimensions whose sizes are not given, is not empty. Also
/// stores `open` in the result of the import.
mlir::LogicalResult reportOpenDims(mlir::Location loc, const ImportTask &options, llvm::ArrayRef<OpenDim> open);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_IMPORTTASK_H
