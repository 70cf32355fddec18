//===- LaneBody.cpp - a linalg body on lane vectors ------------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

Value LaneEmitter::toVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return b.createOrFold<vector::BroadcastOp>(VectorType::get({width}, value.getType()), value);
}

/// All reads before all writes: a read of a half-written tensor would keep that
/// version alive beside the next one, which bufferization resolves by a copy.
void LaneEmitter::emitBody() {
  SmallVector<SmallVector<Value>> results;
  for (int64_t u = 0; u < rows; ++u)
    for (int64_t j = 0; j < vectors; ++j)
      results.push_back(emitBody(u, j));
  for (auto [i, output] : llvm::enumerate(outputs))
    for (int64_t u = 0; u < rows; ++u)
      for (int64_t j = 0; j < vectors; ++j) {
        Value result = results[u * vectors + j][i];
        if (output.reduced)
          carried[output.firstCarried + u * vectors + j] = result;
        else
          store(i, result, u, j);
      }
}

SmallVector<Value> LaneEmitter::emitBody(int64_t u, int64_t j) {
  Block *body = op.getBlock();
  IRMapping values;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(operand);
    if (!isa<ShapedType>(operand->get().getType()))
      values.map(arg, operand->get());
    else if (!arg.use_empty())
      values.map(arg, loadedValue(*operand, u, j));
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    OpOperand *init = op.getDpsInitOperand(i);
    BlockArgument arg = op.getMatchingBlockArgument(init);
    if (output.reduced)
      values.map(arg, carried[output.firstCarried + u * vectors + j]);
    else if (!arg.use_empty())
      values.map(arg, load(*init, carried[i], u, j));
  }
  for (Operation &inner : body->without_terminator())
    if (Value result = cloneOp(inner, values, u, j))
      values.map(inner.getResult(0), result);
  SmallVector<Value> results;
  for (Value result : body->getTerminator()->getOperands())
    results.push_back(toVector(values.lookupOrDefault(result)));
  return results;
}

/// The product that `add` can take as a fused multiply-add, if it is its only user.
static arith::MulFOp fusableProduct(arith::AddFOp add) {
  for (Value side : {add.getLhs(), add.getRhs()})
    if (auto product = side.getDefiningOp<arith::MulFOp>())
      if (product->hasOneUse() && product->getBlock() == add->getBlock())
        return product;
  return {};
}

/// Null for a product that its only user takes along. What depends on scalars
/// alone stays scalar: it is the same in every lane.
Value LaneEmitter::cloneOp(Operation &inner, IRMapping &values, int64_t u, int64_t j) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    Value at = indexOf(index.getDim(), u, j);
    if (index.getDim() != lane)
      return at;
    auto type = VectorType::get({width}, b.getIndexType());
    SmallVector<Attribute> lanes;
    for (int64_t i = 0; i < width; ++i)
      lanes.push_back(b.getIndexAttr(i));
    Value offsets = arith::ConstantOp::create(b, DenseElementsAttr::get(type, lanes));
    return b.createOrFold<arith::AddIOp>(toVector(at), offsets);
  }
  if (auto product = dyn_cast<arith::MulFOp>(inner))
    if (auto add = product->hasOneUse() ? dyn_cast<arith::AddFOp>(*product->user_begin()) : arith::AddFOp())
      if (fusableProduct(add) == product)
        return {};
  if (auto add = dyn_cast<arith::AddFOp>(inner)) {
    if (arith::MulFOp product = fusableProduct(add)) {
      Value other = add.getLhs() == product.getResult() ? add.getRhs() : add.getLhs();
      return vector::FMAOp::create(b, toVector(values.lookupOrDefault(product.getLhs())),
                                   toVector(values.lookupOrDefault(product.getRhs())),
                                   toVector(values.lookupOrDefault(other)));
    }
  }
  SmallVector<Value> operands;
  bool onVectors = false;
  for (Value operand : inner.getOperands()) {
    operands.push_back(values.lookupOrDefault(operand));
    onVectors |= isa<VectorType>(operands.back().getType());
  }
  if (!onVectors)
    return b.clone(inner, values)->getResult(0);
  for (Value &operand : operands)
    operand = toVector(operand);
  OperationState state(b.getLoc(), inner.getName(), operands,
                       {VectorType::get({width}, inner.getResult(0).getType())}, inner.getAttrs());
  return b.create(state)->getResult(0);
}
