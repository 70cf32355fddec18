//===- ProductUnit.h - the smallest product of a kind -----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_PRODUCTUNIT_H
#define HEDDLE_DIALECT_PRODUCTUNIT_H

#include <cstdint>

namespace heddle {

/// The smallest product that the code of a kind of heddle.tile_product computes: the rows and columns of its result,
/// and its steps along the contracted dimension. A step adds ProductKind::getDepth() neighbouring terms to each sum.
/// The rows, columns and steps of every product of the kind are multiples of these numbers.
struct ProductUnit {
  int64_t rows = 1, columns = 1, steps = 1;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_PRODUCTUNIT_H
