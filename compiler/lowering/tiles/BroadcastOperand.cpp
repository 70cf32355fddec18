//===- BroadcastOperand.cpp - biases and masks of attention ---------------===//

#include "BroadcastOperand.h"
#include "TileParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace heddle;

int64_t BroadcastOperand::extentOf(unsigned dim) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  unsigned missing = 4 - shape.size();
  return dim < missing ? 1 : shape[dim - missing];
}

bool BroadcastOperand::dependsOn(unsigned dim) const { return extentOf(2 + dim) != 1; }
bool BroadcastOperand::dependsOnHead() const { return extentOf(1) != 1; }

RowInput BroadcastOperand::emitPart(OpBuilder &b, Location loc, const Block &block) const {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(operands.size(), 0, expr), operands);
  };
  // Returns `index` * `count` + `first`.
  auto rowOf = [&](OpFoldResult index, const Extent &count, OpFoldResult first) {
    if (count.isFixed())
      return apply(d0 * count.number() + d1, {index, first});
    Value product = arith::MulIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, index),
                                          count.emitValue(b, loc));
    return apply(d0 + d1, {product, first});
  };
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult batch = extentOf(0) == 1 ? zero : OpFoldResult(block.batch);
  OpFoldResult head = extentOf(1) == 1 ? zero : OpFoldResult(block.head);
  OpFoldResult matrix = apply(d0 * extentOf(1) + d1, {batch, head}); // the number of the head's matrix
  int64_t lead = extentOf(0) * extentOf(1);
  if (!dependsOn(0)) {
    Value all = emitReshape(b, loc, tensor, lead * extentOf(3));
    OpFoldResult first = rowOf(matrix, keys, block.firstKey);
    return {heddle::emitPart(b, loc, all, first, block.count), RowAccess::Column};
  }
  OpFoldResult first = rowOf(matrix, queries, block.firstQuery);
  if (!dependsOn(1)) {
    Value all = emitReshape(b, loc, tensor, lead * extentOf(2));
    return {heddle::emitPart(b, loc, all, first, block.height), RowAccess::Row};
  }
  Value all = emitReshape(b, loc, tensor, {lead * extentOf(2), extentOf(3)});
  return {heddle::emitPart(b, loc, all, {first, block.firstKey}, {block.height, block.count}), RowAccess::Tile};
}

Value BroadcastOperand::emitElement(OpBuilder &b, Location loc, Value batch, Value head, Value query,
                                    Value key) const {
  Value positions[] = {batch, head, query, key};
  SmallVector<Value> indices;
  for (unsigned dim = 4 - cast<RankedTensorType>(tensor.getType()).getRank(); dim < 4; ++dim)
    indices.push_back(extentOf(dim) == 1 ? Value(arith::ConstantIndexOp::create(b, loc, 0)) : positions[dim]);
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}
