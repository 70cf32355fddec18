//===- ReduceSizes.h - reductions of size-dependent tensors -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_REDUCESIZES_H
#define HEDDLE_IMPORT_SIZES_REDUCESIZES_H

#include "SizedTensor.h"

namespace heddle {

enum class SizeReduction { Sum, Product, Max, Min };

/// Reduces a tensor along `axes`, which are sorted and become dimensions of extent 1. Returns nothing if the result is
/// no expression of sizes or may not fit into its integer type.
std::optional<SizedTensor> reduceSizes(const SizedTensor &tensor, llvm::ArrayRef<int64_t> axes, SizeReduction kind);

/// Returns the cumulative sums along `axis`. Exclusive sums do not include the element itself; reverse sums add the
/// elements after it instead of those before it.
std::optional<SizedTensor> sumUpSizes(const SizedTensor &tensor, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_REDUCESIZES_H
