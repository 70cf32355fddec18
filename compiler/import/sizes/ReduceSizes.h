//===- ReduceSizes.h - reductions of integers of sizes ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_REDUCESIZES_H
#define HEDDLE_IMPORT_SIZES_REDUCESIZES_H

#include "SizedTensor.h"

namespace heddle {

enum class SizeReduction { Sum, Product, Max, Min };

/// Reduces all elements along `axes`, which are sorted; these become dimensions of extent 1. Returns nothing if the
/// result is no expression of sizes or may not fit into its integer type.
std::optional<SizedTensor> reduceSizes(const SizedTensor &tensor, llvm::ArrayRef<int64_t> axes, SizeReduction kind);

/// Cumulative sums along `axis`. Exclusive sums omit the element itself; reverse sums add the elements after it.
std::optional<SizedTensor> sumUpSizes(const SizedTensor &tensor, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_REDUCESIZES_H
