//===- Pair.cpp - pairs of bf16 in a word ---------------------------------===//

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value PairOp::roundToBF16(OpBuilder &b, Location loc, Value x) {
  Type number = x.getType(), word = b.getI32Type();
  if (auto vector = dyn_cast<VectorType>(number))
    word = vector.clone(word);
  // The word has the bf16 in its upper half and zeros in its lower half: these are the bits of the same number as f32.
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(number));
  return arith::BitcastOp::create(b, loc, number, PairOp::create(b, loc, word, zero, x));
}
