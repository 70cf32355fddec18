//===- GroupPrefetch.h - prefetches of a weight's groups --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_GROUPPREFETCH_H
#define HEDDLE_LOWERING_PANELS_GROUPPREFETCH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Prefetches a weight whose groups of rows have scales of their own, for layers with so few rows that the weight is
/// read at the speed of memory. While the product of a group is computed, the cache lines from `bytes` bytes after the
/// start of the group on are prefetched. Panels are contiguous, so these lines may belong to the next panel.
struct GroupPrefetch {
  int64_t bytes = 0;    // 0: nothing is prefetched
  int64_t locality = 3; // the cache, as in heddle.tile_product

  /// The operands `prefetch` and `every` of a heddle.tile_product: cache lines, and the number of steps for which each
  /// is prefetched.
  struct Lines {
    llvm::SmallVector<mlir::Value> lists;
    llvm::SmallVector<int64_t> every;
  };
  /// Returns the lines for a product of `steps` steps that reads `lines` rows of panel `panel` from row `line` on.
  /// `weight` is a packed weight of bytes [panels, rows, width].
  Lines emit(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weight, mlir::OpFoldResult panel,
             mlir::OpFoldResult line, int64_t lines, int64_t steps) const;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_GROUPPREFETCH_H
