//===- StateProducts.cpp - products with an attention state ---------------===//

#include "StateProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The body of a contraction: returns args[2] + args[0] x args[1].
static SmallVector<Value> multiplyAdd(TileBuilder &b, ValueRange args) {
  Value product = arith::MulFOp::create(b, args[0], args[1]);
  return {arith::AddFOp::create(b, args[2], product)};
}

Value heddle::addProducts(TileBuilder &b, Value keys, Value values, Value state) {
  return b.generic("ppr", {{2, 0}, {2, 1}, {0, 1}}, {keys, values}, state, multiplyAdd)[0];
}

Value heddle::applied(TileBuilder &b, Value queries, Value state, Value into) {
  Value zero = b.real(0.0, llvm::cast<RankedTensorType>(into.getType()).getElementType());
  Value zeros = linalg::FillOp::create(b, zero, into).getResult(0);
  return b.generic("ppr", {{0, 2}, {2, 1}, {0, 1}}, {queries, state}, zeros, multiplyAdd)[0];
}
