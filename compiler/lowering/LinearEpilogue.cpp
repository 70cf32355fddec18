//===- LinearEpilogue.cpp - bias, activation, residual --------------------===//

#include "LinearEpilogue.h"
#include "ActiveRows.h"
#include "Widened.h"

#include "transforms/ForProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitFinished(OpBuilder &b, Location loc, const LinearEpilogue &epilogue, Value product) {
  Value x = product;
  if (epilogue.bias)
    x = arith::AddFOp::create(b, loc, x, epilogue.bias);
  x = emitActivation(b, loc, epilogue.activation, x);
  if (epilogue.addend)
    x = arith::AddFOp::create(b, loc, x, epilogue.addend);
  return epilogue.flags ? emitKept(b, loc, epilogue.flags, x) : x;
}

Value heddle::emitFinishedTile(OpBuilder &b, Location loc, const LinearEpilogue &epilogue, Value product,
                               Value target) {
  auto type = cast<RankedTensorType>(target.getType());
  if (cast<RankedTensorType>(product.getType()).getShape() != type.getShape())
    product = emitSlice(b, loc, product, {b.getIndexAttr(0), b.getIndexAttr(0)}, type.getShape());
  AffineMap identity = b.getMultiDimIdentityMap(2);
  SmallVector<Value> inputs = {product};
  SmallVector<AffineMap> maps = {identity};
  auto add = [&](Value input, AffineMap map) {
    if (!input)
      return;
    inputs.push_back(input);
    maps.push_back(map);
  };
  add(epilogue.bias, AffineMap::get(2, 0, b.getAffineDimExpr(1)));
  add(epilogue.addend, identity);
  add(epilogue.flags, AffineMap::get(2, 0, b.getAffineDimExpr(0)));
  maps.push_back(identity);
  SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
  auto finish = linalg::GenericOp::create(
      b, loc, type, inputs, target, maps, parallel, [&](OpBuilder &body, Location, ValueRange arguments) {
        unsigned next = 1;
        auto take = [&](Value input) {
          return input ? emitExtended(body, loc, arguments[next++], arguments[0].getType()) : Value();
        };
        LinearEpilogue element;
        element.activation = epilogue.activation;
        element.bias = take(epilogue.bias);
        element.addend = take(epilogue.addend);
        element.flags = take(epilogue.flags);
        Value finished = emitFinished(body, loc, element, arguments[0]);
        if (Type narrow = type.getElementType(); finished.getType() != narrow)
          finished = epilogue.isForProducts ? emitForProducts(body, loc, finished, narrow)
                                            : Value(arith::TruncFOp::create(body, loc, narrow, finished));
        linalg::YieldOp::create(body, loc, finished);
      });
  if (epilogue.byTable && epilogue.activation == Activation::Gelu)
    finish.walk([](math::ErfOp erf) { erf.setFastmath(arith::FastMathFlags::afn); });
  return finish.getResult(0);
}
