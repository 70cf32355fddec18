//===- ReduceSizes.h - reductions of size-dependent tensors -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_REDUCESIZES_H
#define HEDDLE_IMPORT_SIZES_REDUCESIZES_H

#include "SizedTensor.h"

namespace heddle {

enum class SizeReduction { Sum, Product, Max, Min };

/// Reduces a tensor along `axes`, which are sorted and become dimensions of extent 1. Returns nothing if the result
/// cannot be expressed by sizes or might not fit into its integer type.
std::optional<SizedTensor> reduceSizes(const SizedTensor &tensor, llvm::ArrayRef<int64_t> axes, SizeReduction kind);

/// Returns the cumulative sums along `axis`, as CumSum of ONNX defines them. Exclusive sums do not include the element
/// itself; reverse sums add the elements after it instead of the elements before it. Returns nothing unless the
/// elements of the tensor are a formula that is linear in the index along `axis`, and the sums fit into their type.
std::optional<SizedTensor> sumUpSizes(const SizedTensor &tensor, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_REDUCESIZES_H
