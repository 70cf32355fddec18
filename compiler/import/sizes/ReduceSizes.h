//===- ReduceSizes.h - sums and extremes of integers of sizes ---*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_REDUCESIZES_H
#define HEDDLE_IMPORT_SIZES_REDUCESIZES_H

#include "SizedTensor.h"

namespace heddle {

enum class SizeReduction { Sum, Product, Max, Min };

/// Of all elements along `axes` (sorted), which become dimensions of 1; none where there is no expression of sizes for
/// it, or an integer of its type need not hold it.
std::optional<SizedTensor> reduceSizes(const SizedTensor &tensor, llvm::ArrayRef<int64_t> axes, SizeReduction kind);

/// Each element and those before it along `axis` added up; exclusive: without it; reverse: those behind it.
std::optional<SizedTensor> sumUpSizes(const SizedTensor &tensor, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_REDUCESIZES_H
