//===- RowRounding.h - the rows of a layer's input, rounded -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
#define HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H

#include "Heddle.h"

#include <vector>

namespace heddle {

/// The elements [rows, k] as #heddle.row_rounding says, which takes each for the nearest of f32. Where `hesitates`, an
/// element close to a boundary goes to its other side: what a computation with errors of f32 may make of it.
std::vector<double> roundRows(std::vector<double> elements, int64_t k, RowRoundingAttr rounding, bool hesitates);

} // namespace heddle

#endif // HEDDLE_DIALECT_REFERENCE_ROWROUNDING_H
