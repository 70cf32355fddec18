//===- Truncation.cpp - operations that convert all elements --------------===//

#include "Truncation.h"

using namespace mlir;
using namespace heddle;

arith::TruncFOp heddle::matchTruncation(linalg::GenericOp op) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto narrow = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  return narrow && narrow.getIn() == op.getBody()->getArgument(0) && !narrow.getRoundingmode() ? narrow
                                                                                              : arith::TruncFOp();
}
