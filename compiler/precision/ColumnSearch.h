//===- ColumnSearch.h - finds outlier channels ------------------*- C++ -*-===//

#ifndef HEDDLE_PRECISION_COLUMNSEARCH_H
#define HEDDLE_PRECISION_COLUMNSEARCH_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <vector>

namespace heddle {

/// Finds the outlier channels of a layer's input: the columns that should not be rounded when the other columns of the
/// input, and the weight, are rounded to 8 bits.
class ColumnSearch {
public:
  /// Adds consecutive rows of `columns` elements each. Rows with an element that is not finite are ignored.
  void addRows(mlir::ArrayRef<double> elements, int64_t columns);

  /// Returns whether rows were added, but none was finite.
  bool isBlind() const { return seen && rows.empty(); }

  /// Returns countOutliers(columns) outlier channels in ascending order. They are selected greedily: each is the column
  /// whose removal reduces the remaining error most.
  mlir::SmallVector<int64_t> find() const;

private:
  int64_t columns = 0;     // the number of elements of a row
  bool seen = false;       // whether addRows() received any row
  std::vector<float> rows; // the elements of all finite rows, row after row
};

} // namespace heddle

#endif // HEDDLE_PRECISION_COLUMNSEARCH_H
