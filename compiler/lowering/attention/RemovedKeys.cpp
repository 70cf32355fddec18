//===- RemovedKeys.cpp - marks of removed keys ----------------------------===//

#include "RemovedKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitIsMarked(TileBuilder &b, Value weight) {
  unsigned width = weight.getType().getIntOrFloatBitWidth();
  Type word = b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(b, word, weight);
  Value sign = arith::ConstantOp::create(b, b.getIntegerAttr(word, APInt::getSignedMinValue(width)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, sign);
}

Value heddle::emitUnmarked(TileBuilder &b, Value number) {
  return arith::AddFOp::create(b, number, b.real(0.0, number.getType()));
}
