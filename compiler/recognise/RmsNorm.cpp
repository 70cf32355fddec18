//===- RmsNorm.cpp - x / sqrt(mean(x^2) + epsilon) ------------------------===//

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
    return failure(); // layer norm has said why
  Value squares = matchRowMean(normalised->variance, reason);
  Value x = squares ? matchSquared(peelReshapes(squares)) : Value();
  if (!x || !haveSameElements(peelReshapes(x), peelReshapes(normalised->dividend)))
    return failure();
  x = normalised->dividend;

  Value last = op->getResult(0), scale;
  if (auto scaled = findRowScale(last))
    std::tie(last, scale) = *scaled;
  IRRewriter &rewriter = recognition.rewriter;
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(last.getDefiningOp());
  x = reshape(rewriter, loc, x, cast<RankedTensorType>(last.getType()).getShape());
  if (scale)
    scale = buildRow(rewriter, loc, scale);
  auto norm = RmsNormOp::create(rewriter, loc, last.getType(), x, scale, /*residual=*/Value(),
                                rewriter.getF64FloatAttr(normalised->epsilon));
  rewriter.replaceAllUsesWith(last, norm.getResult());
  return success();
}
