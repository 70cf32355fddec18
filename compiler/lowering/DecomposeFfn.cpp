//===- DecomposeFfn.cpp - transform.heddle.decompose_ffn ------------------===//

#include "ActiveRows.h"
#include "TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Replaces heddle.ffn by two heddle.linear, or by three and a product if it has a gate.
DiagnosedSilenceableFailure transforms::DecomposeFfnOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                   Operation *target,
                                                                   transform::TransformState &state) {
  auto ffn = dyn_cast<FfnOp>(target);
  if (!ffn)
    return emitDefiniteFailure("expects heddle.ffn as target, found ") << target->getName();
  Location loc = ffn.getLoc();
  auto input = cast<RankedTensorType>(ffn.getInput().getType());
  SmallVector<int64_t> shape(input.getShape());
  auto down = cast<RankedTensorType>(ffn.getDown().getType());
  shape.back() = down.getDimSize(down.getRank() - 2); // the rows of the down projection's weight, packed or not
  auto hiddenType = RankedTensorType::get(shape, input.getElementType());
  auto layer = [&](Type type, Value x, Value weight, Value bias, Value residual, Activation activation) -> Value {
    return LinearOp::create(rewriter, loc, type, x, weight, bias, residual, activation, RowRoundingAttr());
  };
  // If a row select (RowSelect.h) replaces inactive rows of the result, such as padding, by zeros, the same rows of the
  // hidden tensor are inactive.
  Value flags;
  if (std::optional<ActiveRows> active = findActiveRows(rewriter, ffn.getResult()))
    flags = active->flags;
  auto hiddenLayer = [&](Value weight, Value bias, Activation activation) {
    Value x = layer(hiddenType, ffn.getInput(), weight, bias, Value(), activation);
    return flags ? emitSelected(rewriter, loc, flags, x) : x;
  };
  Value hidden;
  if (ffn.getGate()) {
    Value gate = hiddenLayer(ffn.getGate(), ffn.getGateBias(), ffn.getActivation());
    Value up = hiddenLayer(ffn.getUp(), ffn.getUpBias(), Activation::None);
    hidden = arith::MulFOp::create(rewriter, loc, gate, up);
  } else {
    hidden = hiddenLayer(ffn.getUp(), ffn.getUpBias(), ffn.getActivation());
  }
  rewriter.replaceOp(ffn, layer(ffn.getResult().getType(), hidden, ffn.getDown(), ffn.getDownBias(),
                                ffn.getResidual(), Activation::None));
  return DiagnosedSilenceableFailure::success();
}
