//===- LayerNorm.cpp - layer norm -----------------------------------------===//
//
// Recognises (x - mean) / sqrt(variance + epsilon). The root is the division.
// Mean and variance are taken over the last dimension, and the variance is
// divided by its length. A scale and a bias are included if they are rows.
//
//===----------------------------------------------------------------------===//

#include "Norm.h"
#include "Recognisers.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

/// Matches `value` = x - mean(x); returns x, or sets `reason`.
static Value matchCentred(Value value, StringRef &reason) {
  auto sub = value.getDefiningOp<arith::SubFOp>();
  Value mean = sub ? matchRepeatedAlongRow(sub.getRhs()) : Value();
  if (!mean) {
    reason = "the dividend is not x minus one number per row";
    return {};
  }
  Value x = matchRowMean(mean, reason);
  if (!x)
    return {};
  if (haveSameElements(peelReshapes(x), peelReshapes(sub.getLhs())))
    return sub.getLhs();
  reason = "the mean subtracted is that of another tensor";
  return {};
}

LogicalResult heddle::recogniseLayerNorm(Operation *op, Recognition &recognition) {
  StringRef reason;
  Operation *root = nullptr;
  if (!hasStaticShapes(op))
    return failure();
  std::optional<Normalised> normalised = matchNormalised(op, root, reason);
  if (!root)
    return failure();
  if (!normalised)
    return recognition.reject(root, reason);
  Value x = matchCentred(normalised->dividend, reason);
  if (!x)
    return recognition.reject(root, reason);
  Value squares = matchRowMean(normalised->variance, reason);
  if (!squares)
    return recognition.reject(root, reason);
  Value centred = matchSquared(peelReshapes(squares));
  if (!centred)
    return recognition.reject(root, "no squares are averaged below the root");
  if (!haveSameElements(peelReshapes(centred), peelReshapes(normalised->dividend))) {
    // The same subtraction may be written twice.
    Value other = matchCentred(centred, reason);
    if (!other || !haveSameElements(peelReshapes(other), peelReshapes(x)))
      return recognition.reject(root, "the variance is that of another tensor than the dividend");
  }

  IRRewriter &rewriter = recognition.rewriter;
  NormOperands norm = prepareNorm(rewriter, x, op->getResult(0), /*hasBias=*/true);
  auto layerNorm = LayerNormOp::create(rewriter, op->getLoc(), norm.result.getType(), norm.input, norm.scale, norm.bias,
                                       /*residual=*/Value(), rewriter.getF64FloatAttr(normalised->epsilon));
  rewriter.replaceAllUsesWith(norm.result, layerNorm.getResult());
  return success();
}
