//===- HiddenSize.h - sizes that exist only in the import -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
#define HEDDLE_IMPORT_SIZES_HIDDENSIZE_H

#include "SizeDomain.h"

#include "ImportTask.h"

#include <functional>

namespace heddle {

/// A size that exists only during an import: the length of a past that becomes a state. The importer computes with this
/// size as with other sizes, but callers of the compiled code do not pass it. When all dimensions are known as
/// expressions, `remove` changes the model so that it no longer depends on this size.
struct HiddenSize {
  /// The name and the range of the size. The name is that of a dynamic dimension in the model's file.
  DimRange range;
  /// The sum of this size and the size named `other` is at most `maximum`; if `other` is "", there is no such limit.
  std::string other;
  int64_t maximum;
  /// Removes the size from a module. The function is called while the import's scope exists (SizeScope::current());
  /// this size is the last one in the scope. The options are those of the import, with a number for each dimension.
  std::function<mlir::LogicalResult(mlir::ModuleOp, const ImportTask &)> remove;
};

/// Returns the limit on the sum of the hidden size, which is the last one in `options.ranges`, and another size.
/// Returns nothing if there is no hidden size or no limit, if the other size is fixed, or if even the smallest sizes
/// exceed the limit.
std::optional<SizeLimit> limitOf(const ImportTask &options);

/// Returns the largest size in `range`, which is one of `options.ranges`. For a hidden size whose sum with another size
/// has a limit, the result is at most the limit minus the largest value of the other size, but at least `range.low`.
int64_t largestOf(const ImportTask &options, const DimRange &range);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
