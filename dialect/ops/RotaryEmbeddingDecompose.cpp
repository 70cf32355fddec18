//===- RotaryEmbeddingDecompose.cpp - rotation as upstream operations -----===//
//
// The first elements of all pairs are one slice of the input, and the second elements another. An elementwise operation
// computes the rotated elements of each slice, which are then inserted into the result.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

FailureOr<SmallVector<Value>> RotaryEmbeddingOp::decomposeOperation(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  int64_t half = shapeOf(getCosine()).back();
  if (isDynamic(half))
    return emitOpError("can be decomposed only if the last dimension of cosine is known");
  Type element = getElementTypeOrSelf(getInput());
  // The type in which the rotation is computed.
  Type wide = element.getIntOrFloatBitWidth() < 32 ? Type(b.getF32Type()) : element;

  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)), strides(4, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), getInput());
  SmallVector<OpFoldResult> secondOffsets = offsets;
  sizes[3] = b.getIndexAttr(half);
  secondOffsets[3] = b.getIndexAttr(getInterleaved() ? 1 : half);
  if (getInterleaved())
    strides[3] = b.getIndexAttr(2);
  Value first = tensor::ExtractSliceOp::create(b, getInput(), offsets, sizes, strides);
  Value second = tensor::ExtractSliceOp::create(b, getInput(), secondOffsets, sizes, strides);

  // Cosine and sine are [B,S,R/2] or [S,R/2]; the heads share them.
  unsigned position = getLayout() == Layout::Bhsd ? 2 : 1;
  SmallVector<AffineExpr> angle{b.getAffineDimExpr(position), b.getAffineDimExpr(3)};
  if (shapeOf(getCosine()).size() == 3)
    angle.insert(angle.begin(), b.getAffineDimExpr(0));
  AffineMap all = b.getMultiDimIdentityMap(4), angles = AffineMap::get(4, 0, angle, b.getContext());
  SmallVector<AffineMap> maps{all, all, angles, angles, all};
  SmallVector<utils::IteratorType> parallel(4, utils::IteratorType::parallel);

  // Creates the rotated first or second elements: x c - y s or x s + y c for the pair (x, y).
  auto rotated = [&](bool isSecond) {
    Value init = tensor::EmptyOp::create(b, sizes, element);
    auto generic = linalg::GenericOp::create(
        b, init.getType(), ValueRange{first, second, getCosine(), getSine()}, init, maps, parallel,
        [&](OpBuilder &ob, Location loc, ValueRange args) {
          ImplicitLocOpBuilder b(loc, ob);
          SmallVector<Value> in(args.take_front(4));
          if (wide != element)
            for (Value &value : in)
              value = arith::ExtFOp::create(b, wide, value);
          Value x = arith::MulFOp::create(b, in[0], in[isSecond ? 3 : 2]);
          Value y = arith::MulFOp::create(b, in[1], in[isSecond ? 2 : 3]);
          Value result = isSecond ? arith::AddFOp::create(b, x, y).getResult()
                                  : arith::SubFOp::create(b, x, y).getResult();
          if (wide != element)
            result = arith::TruncFOp::create(b, element, result);
          linalg::YieldOp::create(b, result);
        });
    return generic.getResult(0);
  };
  // The rotated elements are inserted into the input. Its elements after the pairs remain unchanged.
  Value result = getInput();
  result = tensor::InsertSliceOp::create(b, rotated(false), result, offsets, sizes, strides);
  result = tensor::InsertSliceOp::create(b, rotated(true), result, secondOffsets, sizes, strides);
  if (result.getType() != getType())
    result = tensor::CastOp::create(b, getType(), result);
  return SmallVector<Value>{result};
}
