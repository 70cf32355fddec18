//===- Normalization.cpp - division by the sums of weights ----------------===//

#include "Normalization.h"

using namespace mlir;
using namespace heddle;

Value Normalization::emit(const TaskQueries &queries, Value tile, Value sum, bool inRows, double none) {
  Type element = getElementTypeOrSelf(tile);
  Value inverse = b.generic("p", {{0}, {0}}, sum, b.empty(cast<RankedTensorType>(sum.getType()).getShape(), element),
                            [&](TileBuilder &inner, ValueRange args) {
                              Value one = score.emitInverse(inner, inner.getLoc(), args[0]);
                              return SmallVector<Value>{inner.cast(one, element)};
                            })[0];
  if (active)
    inverse = active.emitWithoutInactive(b, queries, inverse);
  unsigned query = inRows ? 0 : 1;
  inverse = b.slice(inverse, {b.getIndexAttr(0)}, {cast<RankedTensorType>(tile.getType()).getDimSize(query)}, {0});
  return b.generic("pp", {{query}, {0, 1}}, inverse, tile, [&](TileBuilder &inner, ValueRange args) {
    Value result = arith::MulFOp::create(inner, args[1], args[0]);
    if (!sumOfZeros(op.getEmptyRow()) && !active)
      return SmallVector<Value>{result};
    // In a row that yields zeros, a select replaces the result. Multiplying the result by 0 would not suffice: it may
    // be NaN, because weights of 0 were multiplied by values that are not finite, or because the weights are NaN.
    Value isNone = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, args[0], inner.real(0.0, element));
    return SmallVector<Value>{arith::SelectOp::create(inner, isNone, inner.real(none, element), result)};
  })[0];
}
