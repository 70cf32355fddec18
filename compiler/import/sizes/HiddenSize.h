//===- HiddenSize.h - a size that only an import knows ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
#define HEDDLE_IMPORT_SIZES_HIDDENSIZE_H

#include "heddle/Import.h"

#include <functional>

namespace heddle {

/// A size that an importer computes with as with others, and that no call brings: when dimensions are known as
/// expressions, `remove` makes the model one that does not depend on it.
struct HiddenSize {
  /// An open dimension of the file, and what it can be.
  DimRange range;
  /// While the import's scope lives (SizeScope::current()), whose last size it is; the options are those of that
  /// import, with a number for each dimension.
  std::function<mlir::LogicalResult(mlir::ModuleOp, const ImportOptions &)> remove;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
