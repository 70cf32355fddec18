//===- HiddenSize.h - a size that only an import knows ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
#define HEDDLE_IMPORT_SIZES_HIDDENSIZE_H

#include "SizeDomain.h"

#include "heddle/Import.h"

#include <functional>

namespace heddle {

/// A size that an importer computes with as with others, and that no call brings: when dimensions are known as
/// expressions, `remove` makes the model one that does not depend on it.
struct HiddenSize {
  /// An open dimension of the file, and what it can be.
  DimRange range;
  /// This size and another one add up to at most so many; "": there is no such limit.
  std::string other;
  int64_t most;
  /// While the import's scope lives (SizeScope::current()), whose last size it is; the options are those of that
  /// import, with a number for each dimension.
  std::function<mlir::LogicalResult(mlir::ModuleOp, const ImportOptions &)> remove;
};

/// What a hidden size, the last of the ranges, and another one of these add up to; none where there is no such limit.
std::optional<SizeLimit> limitOf(const ImportOptions &options);

/// The largest size of one of `options.ranges`; a hidden one leaves room for the largest that it has a limit with.
int64_t largestOf(const ImportOptions &options, const DimRange &range);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
