//===- RmsNorm.cpp - RMS norm ---------------------------------------------===//
//
// Recognises x / sqrt(mean(x^2) + epsilon), starting at the division or at the product with the inverse of the square
// root. The mean is taken over the last dimension. If a multiplication by a row follows, the row becomes the scale.
//
//===----------------------------------------------------------------------===//
#include "Norm.h"
#include "Recognisers.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::recogniseRmsNorm(Operation *op, Recognition &recognition) {
  StringRef reason;
  Operation *root = nullptr;
  if (!hasStaticShapes(op))
    return failure();
  std::optional<Normalised> normalised = matchNormalised(op, root, reason);
  if (!normalised)
    return failure(); // recogniseLayerNorm, which is called earlier, has recorded the reason
  Value squares = matchRowMean(normalised->variance, reason);
  Value x = squares ? matchSquared(peelReshapes(squares)) : Value();
  if (!x || !haveSameElements(peelReshapes(x), peelReshapes(normalised->dividend)))
    return failure();
  IRRewriter &rewriter = recognition.rewriter;
  NormOperands norm = prepareNorm(rewriter, normalised->dividend, op->getResult(0), /*hasBias=*/false);
  auto rmsNorm = RmsNormOp::create(rewriter, op->getLoc(), norm.result.getType(), norm.input, norm.scale,
                                   /*residual=*/Value(), rewriter.getF64FloatAttr(normalised->epsilon));
  rewriter.replaceAllUsesWith(norm.result, rmsNorm.getResult());
  return success();
}
