//===- LayerNorm.cpp - layer norm -----------------------------------------===//
//
// Recognises (x - mean) / sqrt(variance + epsilon), starting at the division or at the product with the inverse of the
// square root. Mean and variance are taken over the last dimension. The variance is the mean of the squared differences
// from the mean (their sum is not divided by length - 1). If a multiplication by a row follows, the row becomes the
// scale of the layer. If an addition of a row follows the multiplication, this row becomes the bias.
//
//===----------------------------------------------------------------------===//

#include "Norm.h"
#include "Recognisers.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

/// Matches `value` = x - mean(x), where mean(x) is the mean of each row. Returns x, or sets `reason` and returns null.
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
  reason = "the subtracted mean is the mean of another tensor";
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
    return recognition.reject(root, "the root is not computed from a mean of squares");
  if (!haveSameElements(peelReshapes(centred), peelReshapes(normalised->dividend))) {
    // The model may contain the subtraction twice, once for the dividend and once for the variance.
    Value other = matchCentred(centred, reason);
    if (!other || !haveSameElements(peelReshapes(other), peelReshapes(x)))
      return recognition.reject(root, "the variance and the dividend are computed from different tensors");
  }

  IRRewriter &rewriter = recognition.rewriter;
  NormOperands norm = prepareNorm(rewriter, x, op->getResult(0), /*hasBias=*/true);
  auto layerNorm = LayerNormOp::create(rewriter, op->getLoc(), norm.result.getType(), norm.input, norm.scale, norm.bias,
                                       /*residual=*/Value(), rewriter.getF64FloatAttr(normalised->epsilon));
  rewriter.replaceAllUsesWith(norm.result, layerNorm.getResult());
  return success();
}
