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

  /// The sets of placeholders; empty before the import has chosen them. SizeOptions::placeholderSet is an index into
  /// this vector.
  std::vector<std::shared_ptr<const Placeholders>> placeholders;
  /// A size that exists only during the import and not in the imported model (HiddenSize.h); null if there is none.
  std::shared_ptr<const HiddenSize> hidden;
  /// The minimum and the maximum of each size that lies in a range, by name; empty if no size does.
  llvm::StringMap<std::pair<int64_t, int64_t>> bounds;
  /// The dimensions that are sums of other dimensions. Maps the name of each such dimension to the text of its sum,
  /// such as "past + new".
  llvm::StringMap<std::string> sumNames;
  /// For sizes in ranges, the names of the outputs that have a row for each position; not set until an import has found
  /// them. Later imports need this list, because at a single size, an output without such rows may accidentally have
  /// the same extents as an output with them.
  std::optional<std::vector<std::string>> paddedOutputs;
  /// Receives the explanation of a failure. Not owned; null if the caller does not need the explanation.
  ImportResult *result = nullptr;

  /// Records whether the reason for this import's failure is wrong usage, such as an unknown name in `--dim`.
  void setWrongUsage(bool isWrong = true) const {
    if (result)
      result->wrongUsage = isWrong;
  }
};

/// Emits an error about wrong usage if `options.dims` contains a name that is not in `known`.
mlir::LogicalResult checkDimNames(mlir::Location loc, const ImportTask &options, llvm::ArrayRef<std::string> known);

/// Records in `open` that the user gave no value for the size `name`, and that `place` is a dimension of an input with
/// this size. If `open` does not contain `name` yet, adds it with a suggested size.
void addOpenDim(llvm::SmallVectorImpl<OpenDim> &open, llvm::StringRef name, SizePlace place);

/// Returns the size of a dimension, or nothing if it is not known. If the name of the dimension is a sum of names in
/// `names` (the names of all dimensions that the model does not fix), such as "past + new", sets `isSum` and computes
/// the size from the terms. Otherwise the size is the entry of `options.dims`. Emits an error if `options.dims`
/// contradicts the sum, or if the user gave a range for the sum.
mlir::FailureOr<std::optional<int64_t>> sizeOfDim(mlir::Location loc, const ImportTask &options, llvm::StringRef name,
                                                  llvm::ArrayRef<std::string> names, bool &isSum);

/// Emits an error that lists the sizes to give, unless `open` is empty. `open` contains the dimensions whose sizes are
/// not given, and is also stored in the result of the import.
mlir::LogicalResult reportOpenDims(mlir::Location loc, const ImportTask &options, llvm::ArrayRef<OpenDim> open);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_IMPORTTASK_H
