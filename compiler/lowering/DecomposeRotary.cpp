//===- DecomposeRotary.cpp - transform.heddle.decompose_rotary ------------===//

#include "Emit.h"
#include "TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Computes heddle.rotary_embedding into `dest`, one range of columns after the other.
struct RotaryDecomposition {
  OpBuilder &b;
  RotaryEmbeddingOp op;
  Location loc;
  Value dest;                // the result, as far as it is computed
  RankedTensorType type;     // the type of the input and of the result
  int64_t half;              // the number of pairs, which is half of the rotated columns
  AffineMap identity, angle; // the index maps of the result, and of the tables of cosines and sines

  /// The shape of a part of the result with `columns` columns.
  SmallVector<int64_t> shape(int64_t columns) {
    SmallVector<int64_t> result(type.getShape());
    result.back() = columns;
    return result;
  }
  /// The offsets of the part of the result that begins at `column`.
  SmallVector<OpFoldResult> from(int64_t column) {
    SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0));
    offsets.back() = b.getIndexAttr(column);
    return offsets;
  }
  void part(int64_t column, int64_t columns, ValueRange inputs, ArrayRef<AffineMap> maps,
            function_ref<Value(OpBuilder &, ValueRange)> body);
  void halves();
  void interleaved();
  void rest();
};
} // namespace

/// Computes columns `column` to `column + columns - 1` of the result. `body` emits the code of one element; the
/// arguments of `body` are elements of `inputs`, indexed by `maps`.
void RotaryDecomposition::part(int64_t column, int64_t columns, ValueRange inputs, ArrayRef<AffineMap> maps,
                               function_ref<Value(OpBuilder &, ValueRange)> body) {
  Value target = emitSlice(b, loc, dest, from(column), shape(columns));
  SmallVector<AffineMap> all(maps);
  all.push_back(identity);
  SmallVector<utils::IteratorType> parallel(4, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, loc, target.getType(), inputs, target, all, parallel,
                                           [&](OpBuilder &inner, Location, ValueRange arguments) {
                                             linalg::YieldOp::create(inner, loc, body(inner, arguments));
                                           });
  dest = emitInsert(b, loc, generic.getResult(0), dest, from(column), shape(columns));
}

/// Rotates pairs (x, y), where the column of y is `half` columns after the column of x. The results are x cos - y sin
/// and y cos + x sin.
void RotaryDecomposition::halves() {
  Value x = emitSlice(b, loc, op.getInput(), from(0), shape(half));
  Value y = emitSlice(b, loc, op.getInput(), from(half), shape(half));
  for (bool second : {false, true})
    part(second ? half : 0, half, {x, y, op.getCosine(), op.getSine()}, {identity, identity, angle, angle},
         [&](OpBuilder &inner, ValueRange a) -> Value {
           Value along = arith::MulFOp::create(inner, loc, a[second ? 1 : 0], a[2]);
           Value across = arith::MulFOp::create(inner, loc, a[second ? 0 : 1], a[3]);
           if (second)
             return arith::AddFOp::create(inner, loc, along, across);
           return arith::SubFOp::create(inner, loc, along, across);
         });
}

/// Rotates pairs of elements 2i and 2i + 1. The code of each element reads both elements of the pair, and the cosine
/// and the sine of the pair's angle.
void RotaryDecomposition::interleaved() {
  part(0, 2 * half, {}, {}, [&](OpBuilder &inner, ValueRange) -> Value {
    SmallVector<Value> at;
    for (unsigned loop = 0; loop < 4; ++loop)
      at.push_back(linalg::IndexOp::create(inner, loc, loop));
    Value column = at.back(), one = arith::ConstantIndexOp::create(inner, loc, 1);
    Value pair = arith::DivUIOp::create(inner, loc, column, arith::ConstantIndexOp::create(inner, loc, 2));
    SmallVector<Value> place;
    for (AffineExpr expr : angle.getResults().drop_back())
      place.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
    place.push_back(pair);
    Value cosine = tensor::ExtractOp::create(inner, loc, op.getCosine(), place);
    Value sine = tensor::ExtractOp::create(inner, loc, op.getSine(), place);
    Value own = tensor::ExtractOp::create(inner, loc, op.getInput(), at);
    at.back() = arith::XOrIOp::create(inner, loc, column, one);
    Value partner = tensor::ExtractOp::create(inner, loc, op.getInput(), at);
    Value along = arith::MulFOp::create(inner, loc, own, cosine);
    Value across = arith::MulFOp::create(inner, loc, partner, sine);
    Value odd = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(inner, loc, column, one),
                                      arith::ConstantIndexOp::create(inner, loc, 0));
    Value sum = arith::AddFOp::create(inner, loc, along, across);
    Value difference = arith::SubFOp::create(inner, loc, along, across);
    return arith::SelectOp::create(inner, loc, odd, sum, difference);
  });
}

/// Copies the columns that are not rotated.
void RotaryDecomposition::rest() {
  int64_t columns = type.getDimSize(3) - 2 * half;
  if (columns == 0)
    return;
  Value source = emitSlice(b, loc, op.getInput(), from(2 * half), shape(columns));
  part(2 * half, columns, source, identity, [](OpBuilder &, ValueRange a) { return a[0]; });
}

/// Replaces heddle.rotary_embedding by linalg operations.
DiagnosedSilenceableFailure transforms::DecomposeRotaryOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                      Operation *target,
                                                                      transform::TransformState &state) {
  auto rotary = dyn_cast<RotaryEmbeddingOp>(target);
  if (!rotary)
    return emitDefiniteFailure("expects heddle.rotary_embedding as target, found ") << target->getName();
  auto type = cast<RankedTensorType>(rotary.getInput().getType());
  auto angles = cast<RankedTensorType>(rotary.getCosine().getType());
  if (!type.hasStaticShape() || !angles.hasStaticShape())
    return emitDefiniteFailure("expects static shapes, found input ") << type << " and cosine " << angles;
  unsigned position = rotary.getLayout() == Layout::Bhsd ? 2 : 1;
  SmallVector<AffineExpr> place;
  if (angles.getRank() == 3)
    place.push_back(rewriter.getAffineDimExpr(0));
  place.push_back(rewriter.getAffineDimExpr(position));
  place.push_back(rewriter.getAffineDimExpr(3));
  RotaryDecomposition lowering{rewriter,
                               rotary,
                               rotary.getLoc(),
                               emitDestination(rewriter, rotary.getResult(), type),
                               type,
                               angles.getShape().back(),
                               rewriter.getMultiDimIdentityMap(4),
                               AffineMap::get(4, 0, place, getContext())};
  if (rotary.getInterleaved())
    lowering.interleaved();
  else
    lowering.halves();
  lowering.rest();
  rewriter.replaceOp(rotary, lowering.dest);
  return DiagnosedSilenceableFailure::success();
}
