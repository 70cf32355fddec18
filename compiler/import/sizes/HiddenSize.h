//===- HiddenSize.h - sizes that exist only in the import -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
#define HEDDLE_IMPORT_SIZES_HIDDENSIZE_H

#include "SizeDomain.h"

#include "ImportTask.h"

#include <functional>

namespace heddle {

/// A size that an importer uses like other sizes, but that no call has. When all dimensions are known as expressions,
/// `remove` changes the model so that it does not depend on this size.
struct HiddenSize {
  /// A dynamic dimension of the file and its range.
  DimRange range;
  /// The sum of this size and the size `other` is at most `maximum`; there is no such limit if `other` is "".
  std::string other;
  int64_t maximum;
  /// Called while the import's scope exists (SizeScope::current()), in which this size is the last. The options are
  /// those of the import, with a number for each dimension.
  std::function<mlir::LogicalResult(mlir::ModuleOp, const ImportTask &)> remove;
};

/// The limit of the sum of the hidden size, which is the last of the ranges, and another size; nothing if there is
/// none.
std::optional<SizeLimit> limitOf(const ImportTask &options);

/// The largest size of one of `options.ranges`. A hidden size leaves room for the largest value of the size with which
/// its sum is limited.
int64_t largestOf(const ImportTask &options, const DimRange &range);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_HIDDENSIZE_H
