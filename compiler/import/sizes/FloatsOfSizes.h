//===- FloatsOfSizes.h - integers made of floats of sizes -------*- C++ -*-===//
//
// Exporters write half of a length, rounded up, as Ceil of a float: what comes of it is an integer
// that is known but for sizes, where floats hold the numbers exactly or round them only so much that
// no integer is passed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
#define HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H

#include "SizedTensor.h"

namespace heddle {

/// The result of a cast of floats to integers, or a comparison of floats, which are computed from sizes; none where it
/// is neither, or some float may be another number than it would be without rounding in a way that shows.
std::optional<SizedTensor> integersOfFloats(mlir::Operation *op);

/// Each element of a float tensor that is computed from sizes, and those before it along `axis`, added up
/// (ReduceSizes.h): what comes of it, if floats hold all sums exactly; none else.
std::optional<SizedTensor> sumUpFloats(mlir::Value floats, int64_t axis, bool isExclusive, bool isReverse);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_FLOATSOFSIZES_H
