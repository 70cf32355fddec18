//===- Emit.cpp - code that several lowerings share -----------------------===//

#include "Emit.h"

#include "ops/TensorViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitFloat(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value heddle::emitExpOfNonPositive(OpBuilder &b, Location loc, Value x, bool ofTwo) {
  if (!getElementTypeOrSelf(x).isF32()) // the ops for non-positive arguments exist for f32 only
    return ofTwo ? Value(math::Exp2Op::create(b, loc, x)) : Value(math::ExpOp::create(b, loc, x));
  return ofTwo ? Value(Exp2NonPositiveOp::create(b, loc, x)) : Value(ExpNonPositiveOp::create(b, loc, x));
}

OpFoldResult heddle::emitAffine(OpBuilder &b, Location loc, OpFoldResult index, int64_t factor, int64_t offset) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, d0 * factor + offset), {index});
}

Value heddle::emitReshape(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto wanted = RankedTensorType::get(shape, type.getElementType());
  if (std::optional<SmallVector<ReassociationIndices>> groups = getReassociationIndicesForReshape(type, wanted))
    return type.getRank() > wanted.getRank() ? Value(tensor::CollapseShapeOp::create(b, loc, wanted, value, *groups))
                                             : Value(tensor::ExpandShapeOp::create(b, loc, wanted, value, *groups));
  // No single reshape op converts the types, so a one-dimensional tensor is the intermediate step.
  auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  ReassociationIndices all(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  ReassociationIndices allWanted(llvm::to_vector(llvm::seq<int64_t>(0, wanted.getRank())));
  if (type.getRank() != 1)
    value = tensor::CollapseShapeOp::create(b, loc, flat, value, ArrayRef<ReassociationIndices>{all});
  if (wanted.getRank() != 1)
    value = tensor::ExpandShapeOp::create(b, loc, wanted, value, ArrayRef<ReassociationIndices>{allWanted});
  return value;
}

/// If the function returns the value, possibly through reshapes, returns the value's out argument. Returns null if the
/// function does not return the value, or if the out argument already has uses or has another type than the returned
/// value. An out argument is an argument of a kernel into which the kernel writes one of its results (attribute
/// bufferization.writable). The value may have other users, which then read the out argument.
static BlockArgument outArgument(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isReshape(user)) {
      if (BlockArgument out = outArgument(user->getResult(0)))
        return out;
      continue;
    }
    auto func = dyn_cast_or_null<func::FuncOp>(user->getParentOp());
    if (!isa<func::ReturnOp>(user) || !func || func.getNumArguments() < func.getNumResults())
      continue;
    unsigned number = func.getNumArguments() - func.getNumResults() + use.getOperandNumber();
    auto writable = func.getArgAttrOfType<BoolAttr>(number, "bufferization.writable");
    BlockArgument out = func.getArgument(number);
    if (writable && writable.getValue() && out.use_empty() && out.getType() == value.getType())
      return out;
  }
  return nullptr;
}

Value heddle::emitDestination(RewriterBase &rewriter, Value result, RankedTensorType type) {
  // A tile of a task is computed in the slice that the task will insert it into.
  if (result.hasOneUse())
    if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(*result.user_begin());
        insert && insert.getSource() == result) {
      Value place = tensor::ExtractSliceOp::create(rewriter, result.getLoc(), cast<RankedTensorType>(result.getType()),
                                                   insert.getDest(), insert.getMixedOffsets(), insert.getMixedSizes(),
                                                   insert.getMixedStrides());
      return emitReshape(rewriter, result.getLoc(), place, type.getShape());
    }
  if (BlockArgument out = outArgument(result))
    return emitReshape(rewriter, result.getLoc(), out, type.getShape());
  return tensor::EmptyOp::create(rewriter, result.getLoc(), type.getShape(), type.getElementType());
}

bool heddle::isDestination(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  auto writable = func ? func.getArgAttrOfType<BoolAttr>(argument.getArgNumber(), "bufferization.writable") : BoolAttr();
  return writable && writable.getValue();
}

/// Returns the values as index attributes. With `dropZero`, a 0 becomes 1. A size of 0 means that a slice contains one
/// index of the dimension, and that the type of the slice does not have the dimension (Emit.h).
static SmallVector<OpFoldResult> attributes(OpBuilder &b, ArrayRef<int64_t> values, bool dropZero) {
  SmallVector<OpFoldResult> result;
  for (int64_t value : values)
    result.push_back(b.getIndexAttr(dropZero && value == 0 ? 1 : value));
  return result;
}

/// Returns the type of a slice of `source`, without the dimensions whose entry in `sizes` is 0.
static RankedTensorType tileType(Value source, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape;
  for (int64_t size : sizes)
    if (size)
      shape.push_back(size);
  return RankedTensorType::get(shape, cast<RankedTensorType>(source.getType()).getElementType());
}

Value heddle::emitSlice(OpBuilder &b, Location loc, Value source, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tileType(source, sizes), source, offsets, attributes(b, sizes, true),
                                        ones);
}

Value heddle::emitInsert(OpBuilder &b, Location loc, Value tile, Value target, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, tile, target, offsets, attributes(b, sizes, true), ones);
}
