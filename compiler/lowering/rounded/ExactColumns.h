//===- ExactColumns.h - columns that are not rounded ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_ROUNDED_EXACTCOLUMNS_H
#define HEDDLE_LOWERING_ROUNDED_EXACTCOLUMNS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The columns of a layer's input that are not rounded; null where there are none.
struct ExactColumns {
  mlir::Value numbers; // i32 [E]
  /// i32 [K]: all bits, but none in these columns, which are 0 there. Read beside each row it costs less than a copy of the
  /// rows with zeros (a third of the rounding, Zen4).
  mlir::Value kept;

  /// The number of the `i`th, as an index.
  mlir::Value number(mlir::OpBuilder &b, mlir::Location loc, int64_t i) const;
  int64_t count() const;
};

/// Why code does not know the exact columns of a layer; "" where it does: they are part of the rounding, or what callers
/// pass by recipes.
std::string whyNoColumns(LinearOp linear);

/// Those of a layer of which whyNoColumns says nothing. What callers pass has kept bits before it from then on; the layer
/// has no such operand any more.
ExactColumns takeExactColumns(mlir::RewriterBase &rewriter, LinearOp linear);

} // namespace heddle

#endif // HEDDLE_LOWERING_ROUNDED_EXACTCOLUMNS_H
