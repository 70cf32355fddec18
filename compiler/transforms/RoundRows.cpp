//===- RoundRows.cpp - rounding as a part of linear layers ----------------===//
//
// If a model rounds the input of a linear layer to one of the types in the option `products`, such as bf16, and the
// weight is stored in this type, the pass heddle-round-rows makes the rounding a part of the layer. The function that
// the model computes does not change.
//
//===----------------------------------------------------------------------===//

#include "StoredAs.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ROUNDROWS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// If `value` is a tensor that was rounded to a narrower type and widened again, returns the rounding; else null.
static arith::TruncFOp findWidenedRounding(Value value) {
  Value narrow = storedValue(value);
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    narrow = widened.getIn();
  auto rounding = narrow == value ? arith::TruncFOp() : narrow.getDefiningOp<arith::TruncFOp>();
  return rounding && !rounding.getRoundingmode() && rounding.getIn().getType() == value.getType() ? rounding
                                                                                                 : arith::TruncFOp();
}

namespace {
struct RoundRows : heddle::impl::RoundRowsBase<RoundRows> {
  using RoundRowsBase::RoundRowsBase;

  void runOnOperation() override {
    getOperation().walk([&](LinearOp linear) {
      arith::TruncFOp rounding = findWidenedRounding(findViewedTensor(linear.getInput()));
      if (!rounding || linear.getRounding() || !getElementTypeOrSelf(linear.getInput()).isF32())
        return;
      Type element = getElementTypeOrSelf(rounding.getType());
      if (!llvm::is_contained(products, debugString(element)) || !isStoredAs(linear.getWeight(), element))
        return;
      OpBuilder b(linear);
      linear.getInputMutable().assign(emitViews(b, linear.getInput(), rounding.getIn()));
      linear.setRoundingAttr(RowRoundingAttr::get(&getContext(), element));
    });
  }
};
} // namespace
