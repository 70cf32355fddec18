//===- FloatsOfSizes.h - integers computed as floats ------------*- C++ -*-===//
//
// Exporters compute some integers from sizes in floating point. For example, half of a length, rounded up, is the Ceil
// of a float. Such an integer is a known expression of the sizes if floats represent all intermediate results exactly,
// or if their rounding errors are too small to change the integer.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
#define HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H

#include "SizedTensor.h"

namespace heddle {

/// Returns the result of an operation that compares floats or casts them to integers, if the floats are computed from
/// sizes. Returns nothing for other operations, and if the rounding of a float might change the result.
std::optional<SizedTensor> integersOfFloats(mlir::Operation *op);

/// Returns the cumulative sums along `axis` of a float tensor that is computed from sizes (see sumUpSizes in
/// ReduceSizes.h); nothing if floats do not represent all sums exactly.
std::optional<SizedTensor> sumUpFloats(mlir::Value floats, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
