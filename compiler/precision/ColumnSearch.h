//===- ColumnSearch.h - which columns are worth their digits ----*- C++ -*-===//

#ifndef HEDDLE_PRECISION_COLUMNSEARCH_H
#define HEDDLE_PRECISION_COLUMNSEARCH_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <vector>

namespace heddle {

/// Finds the columns of a layer's input that are to stay exact when its rows, and the weight's columns, become 8 bits.
class ColumnSearch {
public:
  /// Rows of so many columns, one after the other; those that are not finite say nothing and are left out.
  void addRows(mlir::ArrayRef<double> elements, int64_t columns);

  /// Whether rows were seen and none was finite.
  bool isBlind() const { return seen && rows.empty(); }

  /// One after the other, the column whose exactness takes the most of the error that is left; ascending.
  mlir::SmallVector<int64_t> find() const;

private:
  int64_t columns = 0;
  bool seen = false;
  std::vector<float> rows;
};

} // namespace heddle

#endif // HEDDLE_PRECISION_COLUMNSEARCH_H
