//===- Narrowing.cpp - layers whose result is rounded for products --------===//

#include "Narrowing.h"

#include "transforms/ForProducts.h"

using namespace mlir;
using namespace heddle;

linalg::GenericOp heddle::findNarrowing(Value result) {
  while (result.hasOneUse() && isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  auto generic = result.hasOneUse() ? dyn_cast<linalg::GenericOp>(*result.user_begin()) : linalg::GenericOp();
  if (!generic || generic.getNumDpsInputs() != 1 || generic.getNumDpsInits() != 1 ||
      !llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto narrow = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  bool narrows = narrow && narrow.getIn() == generic.getBody()->getArgument(0) && isForProducts(narrow);
  return narrows ? generic : linalg::GenericOp();
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
