//===- FloatsOfSizes.h - integers from floats of sizes ----------*- C++ -*-===//
//
// Exporters write half of a length, rounded up, as Ceil of a float. The result is an integer that is known up to the
// sizes if floats represent all numbers exactly, or round them by so little that no integer is crossed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
#define HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H

#include "SizedTensor.h"

namespace heddle {

/// The result of an operation that casts floats, which are computed from sizes, to integers or compares them. Returns
/// nothing for other operations, and if rounding of a float might change the result.
std::optional<SizedTensor> integersOfFloats(mlir::Operation *op);

/// The cumulative sums along `axis` of a float tensor that is computed from sizes (ReduceSizes.h); nothing if floats do
/// not represent all sums exactly.
std::optional<SizedTensor> sumUpFloats(mlir::Value floats, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
