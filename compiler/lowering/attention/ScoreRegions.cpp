//===- ScoreRegions.cpp - the regions of attention ------------------------===//

#include "ScoreRegions.h"
#include "MaskBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitRegion(OpBuilder &b, Location loc, AttentionOp op, Region &region, Value number,
                         const ScorePosition &at, ValueRange elements) {
  SmallVector<Value> arguments = {number, at.batch, at.head, at.query, at.key};
  for (auto [read, element] : llvm::zip_equal(op.getReads(), elements)) {
    bool isFlag = getElementTypeOrSelf(read).isInteger(1);
    arguments.push_back(isFlag
                            ? Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, element,
                                                          arith::ConstantIntOp::create(b, loc, element.getType(), 0)))
                            : element);
  }
  return AttentionOp::inlineRegion(b, region, arguments);
}

SmallVector<Value> heddle::emitReads(TileBuilder &b, AttentionOp op) {
  return llvm::map_to_vector(
      op.getReads(), [&](Value read) { return getElementTypeOrSelf(read).isInteger(1) ? maskBytes(b, read) : read; });
}
