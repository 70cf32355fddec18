//===- NotFinite.cpp - results that are computed again --------------------===//

#include "NotFinite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// An element is infinite or NaN if all bits of its exponent are set.
Value heddle::emitIsNotFinite(TileBuilder &b, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto element = cast<FloatType>(type.getElementType());
  Type word = b.getIntegerType(element.getWidth());
  auto bits = [&](TileBuilder &inner, const APInt &value) -> Value {
    return arith::ConstantOp::create(inner, inner.getIntegerAttr(word, value));
  };
  int64_t columns = type.getDimSize(1);
  APInt zero = APInt::getZero(element.getWidth());
  Value none = linalg::FillOp::create(b, bits(b, zero), b.empty({columns}, word)).getResult(0);
  Value largest = b.generic("rp", {{0, 1}, {1}}, tile, none, [&](TileBuilder &inner, ValueRange args) {
    Value magnitude = arith::AndIOp::create(inner, arith::BitcastOp::create(inner, word, args[0]),
                                            bits(inner, APInt::getSignedMaxValue(element.getWidth())));
    return SmallVector<Value>{arith::MaxSIOp::create(inner, args[1], magnitude)};
  })[0];
  auto loop = scf::ForOp::create(b, b.index(0), b.index(columns), b.index(1), bits(b, zero));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = tensor::ExtractOp::create(b, largest, loop.getInductionVar());
    scf::YieldOp::create(b, Value(arith::MaxSIOp::create(b, loop.getRegionIterArg(0), next)));
  }
  Value infinity = bits(b, APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, loop.getResult(0), infinity);
}
