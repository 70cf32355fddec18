//===- RefineShapes.cpp - inference of shapes -----------------------------===//
//
// ShapeRefiner visits the operations in order. It folds operations on scalars with known values, makes known offsets
// and sizes static, and infers the types of results from the types of operands. It erases casts and computations of
// sizes that are no longer needed. The function is not changed in any other way.
//
//===----------------------------------------------------------------------===//

#include "RefineShapes.h"

#include "CheckExtents.h"
#include "KnownSizes.h"
#include "sizes/PlaceOf.h"
#include "sizes/SizeScope.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of elements of a tensor. With this limit, sums of a few extents do not overflow.
static constexpr int64_t maxElements = int64_t(1) << 40;

namespace {
/// Infers the shapes in one function.
class ShapeRefiner {
public:
  explicit ShapeRefiner(func::FuncOp main) : main(main), sizes(main) {}
  LogicalResult run();

private:
  LogicalResult refine(Operation *op);
  SmallVector<Type> inferTypes(Operation *op);
  SmallVector<int64_t> foldList(SmallVector<OpFoldResult> list, MutableOperandRange operands);
  template <typename Op>
  Type foldSizes(Op op, RankedTensorType type, MutableOperandRange operands);
  template <typename SliceOp>
  void foldPlace(SliceOp op);

  Type infer(tensor::EmptyOp op) { return foldSizes(op, op.getType(), op.getDynamicSizesMutable()); }
  Type infer(tensor::SplatOp op) {
    return foldSizes(op, cast<RankedTensorType>(op.getType()), op.getDynamicSizesMutable());
  }
  Type infer(tensor::GenerateOp op) {
    return foldSizes(op, cast<RankedTensorType>(op.getType()), op.getDynamicExtentsMutable());
  }
  Type infer(tensor::ExtractSliceOp op);
  Type infer(tensor::InsertSliceOp op);
  Type infer(tensor::PadOp op);
  Type infer(tensor::ExpandShapeOp op);
  Type infer(tensor::CollapseShapeOp op) {
    return tensor::CollapseShapeOp::inferCollapsedType(op.getSrcType(), op.getReassociationMaps());
  }
  Type infer(tensor::ConcatOp op);
  Type infer(tensor::CastOp op) { return op.getSource().getType(); }

  func::FuncOp main;
  KnownSizes sizes;
};
} // namespace

/// Replaces the dynamic dimensions of `type` by those of `shape`. Returns all other types, including tensors of a
/// different rank, unchanged.
static Type fill(Type type, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != int64_t(shape.size()))
    return type;
  SmallVector<int64_t> sizes(tensor.getShape());
  for (auto [size, known] : llvm::zip_equal(sizes, shape))
    if (ShapedType::isDynamic(size))
      size = known;
  return tensor.clone(sizes);
}

static Type fill(Type type, Type known) {
  auto tensor = dyn_cast<RankedTensorType>(known);
  return tensor ? fill(type, tensor.getShape()) : type;
}

/// Makes known offsets, sizes, strides or widths of padding static: returns the static list and removes the known
/// values from `operands`. A negative value remains dynamic. If the sign of a value depends on sizes, the comparison
/// records this in the SizeScope (the sizes of the current import), and checkExtents() refuses the operation.
SmallVector<int64_t> ShapeRefiner::foldList(SmallVector<OpFoldResult> list, MutableOperandRange operands) {
  SmallVector<Value> left;
  SmallVector<int64_t> numbers;
  for (OpFoldResult entry : list) {
    auto operand = dyn_cast<Value>(entry);
    std::optional<Dim> known = operand ? sizes.of(operand) : std::nullopt;
    if (operand && (!known || *known < 0)) {
      left.push_back(operand);
      numbers.push_back(ShapedType::kDynamic);
    } else {
      numbers.push_back(operand ? numberOf(*known) : *getConstantIntValue(entry));
    }
  }
  operands.assign(left);
  return numbers;
}

/// Makes known sizes static in an operation that has an operand for each dynamic dimension of its result, and returns
/// the type of the result.
template <typename Op>
Type ShapeRefiner::foldSizes(Op op, RankedTensorType type, MutableOperandRange operands) {
  SmallVector<OpFoldResult> list;
  unsigned next = 0;
  for (int64_t size : type.getShape())
    list.push_back(ShapedType::isDynamic(size) ? OpFoldResult(operands[next++].get())
                                               : OpFoldResult(Builder(op).getIndexAttr(size)));
  return type.clone(foldList(list, operands));
}

/// Makes known offsets, sizes and strides of a slice static.
template <typename SliceOp>
void ShapeRefiner::foldPlace(SliceOp op) {
  op.setStaticOffsets(foldList(op.getMixedOffsets(), op.getOffsetsMutable()));
  op.setStaticSizes(foldList(op.getMixedSizes(), op.getSizesMutable()));
  op.setStaticStrides(foldList(op.getMixedStrides(), op.getStridesMutable()));
}

Type ShapeRefiner::infer(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  foldPlace(op);
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (!dropped[dim])
      shape.push_back(size);
  return op.getType().clone(shape);
}

Type ShapeRefiner::infer(tensor::InsertSliceOp op) {
  foldPlace(op);
  // `getDestType` would return the type of the result instead.
  return op.getDest().getType();
}

Type ShapeRefiner::infer(tensor::PadOp op) {
  // A width that exceeds `maxElements` remains dynamic, and the importer then refuses the operation (Mlir.cpp).
  auto isTooLarge = [&](OpFoldResult width) {
    std::optional<Dim> known = sizes.of(width);
    return known && known->high() > maxElements;
  };
  if (llvm::any_of(op.getMixedLowPad(), isTooLarge) || llvm::any_of(op.getMixedHighPad(), isTooLarge))
    return op.getType();
  op.setStaticLow(foldList(op.getMixedLowPad(), op.getLowMutable()));
  op.setStaticHigh(foldList(op.getMixedHighPad(), op.getHighMutable()));
  SmallVector<int64_t> shape(op.getSourceType().getShape());
  for (auto [size, low, high] : llvm::zip_equal(shape, op.getStaticLow(), op.getStaticHigh()))
    size = ShapedType::isDynamicShape({size, low, high}) ? ShapedType::kDynamic
                                                         : numberOf(dimOf(low) + dimOf(size) + dimOf(high));
  return op.getSourceType().clone(shape);
}

Type ShapeRefiner::infer(tensor::ExpandShapeOp op) {
  op.setStaticOutputShape(foldList(op.getMixedOutputShape(), op.getOutputShapeMutable()));
  return op.getResultType().clone(op.getStaticOutputShape());
}

Type ShapeRefiner::infer(tensor::ConcatOp op) {
  RankedTensorType type = tensor::ConcatOp::inferResultType(op.getDim(), op->getOperandTypes());
  if (type.isDynamicDim(unsigned(op.getDim())))
    return type;
  Dim all = 0;
  for (Type part : op->getOperandTypes())
    all += dimOf(cast<RankedTensorType>(part).getDimSize(unsigned(op.getDim())));
  SmallVector<int64_t> shape(type.getShape());
  shape[op.getDim()] = numberOf(all);
  return type.clone(shape);
}

/// Returns the types of the results of `op`, as far as the types of its operands determine them.
SmallVector<Type> ShapeRefiner::inferTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  Type one = TypeSwitch<Operation *, Type>(op)
                 .Case<tensor::EmptyOp, tensor::SplatOp, tensor::GenerateOp, tensor::ExtractSliceOp,
                       tensor::InsertSliceOp, tensor::PadOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                       tensor::ConcatOp, tensor::CastOp>([&](auto known) { return infer(known); })
                 .Default(Type());
  if (one) {
    types.front() = fill(types.front(), one);
  } else if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpResult result : op->getResults())
      types[result.getResultNumber()] = fill(result.getType(), written.getTiedOpOperand(result)->get().getType());
  } else if (op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::SameOperandsAndResultShape>()) {
    for (Type &type : types)
      for (Type operand : op->getOperandTypes())
        type = fill(type, operand);
  } else if (auto inferring = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> inferred;
    if (succeeded(inferring.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                             op->getRawDictionaryAttrs(), op->getPropertiesStorage(), op->getRegions(),
                                             inferred)))
      for (auto [type, other] : llvm::zip(types, inferred))
        type = fill(type, other);
  }
  return types;
}

/// Emits an error if a tensor has more than `maxElements` elements at the largest sizes. Dynamic extents count as 1.
static LogicalResult checkCount(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  int64_t count = 1;
  for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>()) {
    int64_t maximum = ShapedType::isDynamic(size) ? 1 : std::max<int64_t>(dimOf(size).high(), 1);
    if (llvm::MulOverflow(count, maximum, count) || count > maxElements)
      return op->emitError() << "the tensor is too large: " << type;
  }
  return success();
}

/// Folds `op`, or infers the types of its results and checks its extents.
LogicalResult ShapeRefiner::refine(Operation *op) {
  if (sizes.visit(op))
    return success();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), inferTypes(op))) {
    if (failed(checkCount(op, type)))
      return failure();
    result.setType(type);
  }
  if (failed(checkExtents(op)))
    return failure();
  if (auto cast = dyn_cast<tensor::CastOp>(op); cast && cast.getType() == cast.getSource().getType()) {
    cast.replaceAllUsesWith(cast.getSource());
    cast.erase();
  }
  return success();
}

LogicalResult ShapeRefiner::run() {
  for (Type type : main.getBody().getArgumentTypes())
    if (failed(checkCount(main, type)))
      return failure();
  SmallVector<Operation *> ops;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ArrayRef(ops).drop_front()) {
    if (SizeScope *scope = SizeScope::current())
      scope->setPlace(placeOf(op));
    if (failed(refine(op)))
      return failure();
  }
  if (SizeScope::current())
    sizes.eraseUnused();
  Operation *last = main.front().getTerminator();
  main.setFunctionType(FunctionType::get(main.getContext(), main.getBody().getArgumentTypes(),
                                         last->getOperandTypes()));
  if (SizeScope *scope = SizeScope::current(); scope && scope->needsOtherPlaceholders())
    // With these placeholders, types are inconsistent. The caller then imports the file again with other placeholders.
    return failure();
  // A shape that is valid at some sizes may be invalid at the sizes of this import.
  return verify(main);
}

LogicalResult heddle::refineShapes(func::FuncOp main) { return ShapeRefiner(main).run(); }
