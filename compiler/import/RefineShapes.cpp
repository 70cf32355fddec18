//===- RefineShapes.cpp - shapes that follow from others ------------------===//
//
// Goes through the operations in order. What has scalars from scalars that are known is
// folded, so that sizes are constants where they are used; then the types of results
// follow from those of operands. Nothing else is changed.
//
//===----------------------------------------------------------------------===//

#include "RefineShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Of a tensor, so that sums and products of a few sizes are numbers.
static constexpr int64_t mostElements = int64_t(1) << 40;

/// `type` with numbers of `shape` for what it leaves open.
static Type refine(Type type, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != int64_t(shape.size()))
    return type;
  SmallVector<int64_t> sizes(tensor.getShape());
  for (auto [size, known] : llvm::zip_equal(sizes, shape))
    if (ShapedType::isDynamic(size))
      size = known;
  return tensor.clone(sizes);
}

static Type refine(Type type, Type known) {
  auto tensor = dyn_cast<RankedTensorType>(known);
  return tensor ? refine(type, tensor.getShape()) : type;
}

/// Operations of scalars that are known become constants. Whether `op` did.
static bool foldScalars(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  bool isDim = isa<tensor::DimOp>(op);
  if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumRegions() || op->getNumResults() != 1 ||
      !isScalar(op->getResult(0).getType()) || !(isDim || isa<arith::ArithDialect>(op->getDialect())))
    return false;
  if (!isDim && !llvm::all_of(op->getOperands(), [](Value value) { return matchPattern(value, m_Constant()); }))
    return false;
  OpBuilder b(op);
  SmallVector<Value> results;
  if (failed(b.tryFold(op, results)) || results.front() == op->getResult(0))
    return false;
  op->getResult(0).replaceAllUsesWith(results.front());
  op->erase();
  return true;
}

/// Offsets, sizes or widths, some of them operands: those that are known become part of the operation. One that is
/// negative stays open.
static SmallVector<int64_t> foldList(SmallVector<OpFoldResult> list, MutableOperandRange operands) {
  (void)foldDynamicIndexList(list, /*onlyNonNegative=*/true);
  SmallVector<Value> left;
  SmallVector<int64_t> known;
  dispatchIndexOpFoldResults(list, left, known);
  operands.assign(left);
  return known;
}

/// The type of what has an operand for each `?` of its result.
template <typename Op>
static Type foldSizes(Op op, RankedTensorType type, MutableOperandRange operands) {
  SmallVector<OpFoldResult> list;
  unsigned next = 0;
  for (int64_t size : type.getShape())
    list.push_back(ShapedType::isDynamic(size) ? OpFoldResult(operands[next++].get())
                                               : OpFoldResult(Builder(op).getIndexAttr(size)));
  return type.clone(foldList(list, operands));
}

static Type infer(tensor::EmptyOp op) { return foldSizes(op, op.getType(), op.getDynamicSizesMutable()); }
static Type infer(tensor::SplatOp op) {
  return foldSizes(op, cast<RankedTensorType>(op.getType()), op.getDynamicSizesMutable());
}
static Type infer(tensor::GenerateOp op) {
  return foldSizes(op, cast<RankedTensorType>(op.getType()), op.getDynamicExtentsMutable());
}

template <typename SliceOp>
static void foldPlace(SliceOp op) {
  op.setStaticOffsets(foldList(op.getMixedOffsets(), op.getOffsetsMutable()));
  op.setStaticSizes(foldList(op.getMixedSizes(), op.getSizesMutable()));
  op.setStaticStrides(foldList(op.getMixedStrides(), op.getStridesMutable()));
}

static Type infer(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  foldPlace(op);
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (!dropped[dim])
      shape.push_back(size);
  return op.getType().clone(shape);
}

static Type infer(tensor::InsertSliceOp op) {
  foldPlace(op);
  return op.getDest().getType(); // getDestType is that of the result
}

static Type infer(tensor::PadOp op) {
  auto isTooLarge = [](OpFoldResult width) { return getConstantIntValue(width).value_or(0) > mostElements; };
  if (llvm::any_of(op.getMixedLowPad(), isTooLarge) || llvm::any_of(op.getMixedHighPad(), isTooLarge))
    return op.getType();
  op.setStaticLow(foldList(op.getMixedLowPad(), op.getLowMutable()));
  op.setStaticHigh(foldList(op.getMixedHighPad(), op.getHighMutable()));
  return tensor::PadOp::inferResultType(op.getSourceType(), op.getStaticLow(), op.getStaticHigh());
}

static Type infer(tensor::ExpandShapeOp op) {
  op.setStaticOutputShape(foldList(op.getMixedOutputShape(), op.getOutputShapeMutable()));
  return op.getResultType().clone(op.getStaticOutputShape());
}

static Type infer(tensor::CollapseShapeOp op) {
  return tensor::CollapseShapeOp::inferCollapsedType(op.getSrcType(), op.getReassociationMaps());
}

static Type infer(tensor::ConcatOp op) {
  return tensor::ConcatOp::inferResultType(op.getDim(), op->getOperandTypes());
}

/// The types of results by those of operands, as far as they are known.
static SmallVector<Type> inferTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  Type one = TypeSwitch<Operation *, Type>(op)
                 .Case<tensor::EmptyOp, tensor::SplatOp, tensor::GenerateOp, tensor::ExtractSliceOp,
                       tensor::InsertSliceOp, tensor::PadOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                       tensor::ConcatOp>([](auto known) { return infer(known); })
                 .Case([](tensor::CastOp cast) { return cast.getSource().getType(); })
                 .Default(Type());
  if (one) {
    types.front() = refine(types.front(), one);
  } else if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpResult result : op->getResults())
      types[result.getResultNumber()] = refine(result.getType(), written.getTiedOpOperand(result)->get().getType());
  } else if (op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::SameOperandsAndResultShape>()) {
    for (Type &type : types)
      for (Type operand : op->getOperandTypes())
        type = refine(type, operand);
  } else if (auto inferring = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> inferred;
    if (succeeded(inferring.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                             op->getRawDictionaryAttrs(), op->getPropertiesStorage(), op->getRegions(),
                                             inferred)))
      for (auto [type, other] : llvm::zip(types, inferred))
        type = refine(type, other);
  }
  return types;
}

static LogicalResult checkCount(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  int64_t count = 1;
  for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>()) {
    bool isTooLarge = llvm::MulOverflow(count, ShapedType::isDynamic(size) || size == 0 ? 1 : size, count);
    if (isTooLarge || count > mostElements)
      return op->emitError() << "a tensor too large: " << type;
  }
  return success();
}

LogicalResult heddle::refineShapes(func::FuncOp main) {
  for (Type type : main.getBody().getArgumentTypes())
    if (failed(checkCount(main, type)))
      return failure();
  SmallVector<Operation *> ops;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ArrayRef(ops).drop_front()) {
    if (foldScalars(op))
      continue;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), inferTypes(op))) {
      if (failed(checkCount(op, type)))
        return failure();
      result.setType(type);
    }
    if (auto cast = dyn_cast<tensor::CastOp>(op); cast && cast.getType() == cast.getSource().getType()) {
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    }
  }
  Operation *last = main.front().getTerminator();
  main.setFunctionType(FunctionType::get(main.getContext(), main.getBody().getArgumentTypes(),
                                         last->getOperandTypes()));
  // What was true of some sizes need not be of these.
  return verify(main);
}
