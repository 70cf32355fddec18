//===- Narrowing.cpp - layers whose result is stored in a narrower type ---===//

#include "Narrowing.h"

#include "ops/TensorViews.h"
#include "transforms/ForProducts.h"
#include "transforms/Truncation.h"

using namespace mlir;
using namespace heddle;

linalg::GenericOp heddle::findNarrowing(Value result) {
  while (result.hasOneUse() && isReshape(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  auto generic = result.hasOneUse() ? dyn_cast<linalg::GenericOp>(*result.user_begin()) : linalg::GenericOp();
  return matchTruncation(generic) ? generic : linalg::GenericOp();
}

bool heddle::isForProducts(linalg::GenericOp narrowing) {
  arith::TruncFOp conversion = matchTruncation(narrowing);
  return conversion && isForProducts(conversion);
}

void heddle::replaceNarrowed(RewriterBase &rewriter, Operation *layer, linalg::GenericOp narrowing, Value narrow) {
  Value wide = narrowing.getDpsInputs()[0];
  ArrayRef<int64_t> shape = cast<RankedTensorType>(wide.getType()).getShape();
  rewriter.replaceOp(narrowing, emitReshape(rewriter, layer->getLoc(), narrow, shape));
  while (Operation *made = wide.getDefiningOp()) { // erase reshapes and the layer
    wide = made == layer ? Value() : made->getOperand(0);
    rewriter.eraseOp(made);
    if (!wide)
      break;
  }
}
