//===- CheckExtents.cpp - checks of extents at all sizes ------------------===//

#include "CheckExtents.h"

#include "sizes/IsWithin.h"
#include "sizes/SizeScope.h"
#include "sizes/SizedTensor.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Checks the extents of one operation. Each function `require...` stores the first violated condition in `wrong`. If a
/// condition holds only at some sizes, the comparison of dimensions (Dim.h) records this in the current SizeScope,
/// which contains the sizes of the current import. `run` emits the error.
class ExtentChecker {
public:
  explicit ExtentChecker(Operation *op) : op(op) {}

  LogicalResult run();

private:
  /// Whether none of the extents, offsets or strides is dynamic.
  static bool isKnown(ArrayRef<int64_t> numbers) { return !ShapedType::isDynamicShape(numbers); }
  void requireEqual(const Dim &a, const Dim &b);
  void requireEqual(int64_t a, int64_t b) {
    if (a != b && isKnown({a, b}))
      requireEqual(dimOf(a), dimOf(b));
  }
  void requireShape(Value value, ArrayRef<Dim> shape);
  void requireInside(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> strides);
  void requireInside(AffineExpr expr, ArrayRef<Dim> loops, const Dim &extent);

  void check(linalg::LinalgOp op);
  void check(tensor::ConcatOp op);
  void check(tensor::PadOp op);
  void check(tensor::ExtractSliceOp op) {
    requireInside(op.getSourceType().getShape(), op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides());
  }
  void check(tensor::InsertSliceOp op) {
    requireInside(op.getDestType().getShape(), op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides());
  }
  void check(tensor::ExpandShapeOp op) {
    checkGroups(op.getSrcType().getShape(), op.getResultType().getShape(), op.getReassociationIndices());
  }
  void check(tensor::CollapseShapeOp op) {
    checkGroups(op.getResultType().getShape(), op.getSrcType().getShape(), op.getReassociationIndices());
  }
  /// Requires that each extent of `few` is the product of the extents of `many` in its reassociation group.
  void checkGroups(ArrayRef<int64_t> few, ArrayRef<int64_t> many, ArrayRef<ReassociationIndices> groups);
  /// Requires that all tensor operands with the rank of the first one have the shape of the first one.
  void checkElementwise();
  void check(LayerOpInterface layer);
  void checkScores(AttentionOp op);

  Operation *op;
  std::string wrong; // the first violated condition, as the text of an error; empty if there is none
};
} // namespace

void ExtentChecker::requireEqual(const Dim &a, const Dim &b) {
  if (!(a == b) && wrong.empty())
    wrong = "has extents '" + a.text() + "' and '" + b.text() + "', which must be equal";
}

void ExtentChecker::requireShape(Value value, ArrayRef<Dim> shape) {
  for (auto [number, dim] : llvm::zip_equal(cast<RankedTensorType>(value.getType()).getShape(), shape))
    if (isKnown({number}))
      requireEqual(dimOf(number), dim);
}

/// Requires that a slice lies inside its tensor, as MLIR's verifier does for constant extents. `shape` is the shape of
/// the whole tensor. The condition must also hold for the placeholders of sizes, since MLIR verifies types that contain
/// placeholders.
void ExtentChecker::requireInside(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides) {
  for (auto [extent, offset, size, stride] : llvm::zip_equal(shape, offsets, sizes, strides)) {
    if (!isKnown({extent, offset, size, stride}))
      continue;
    Dim end = dimOf(extent), first = dimOf(offset), last = first + (dimOf(size) - 1) * dimOf(stride);
    for (const Dim &place : {first, last}) {
      if (place >= end && wrong.empty())
        wrong = "accesses index '" + place.text() + "' of a dimension of extent '" + end.text() + "'";
      SizeScope::current()->requireNotNegative((end - 1 - place).asExpression());
    }
  }
}

/// Converts a result of an affine map to an expression in which `SizeExpression::place` represents each loop index.
static SizeExpression expressionOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return SizeExpression::place(loop.getPosition());
  auto both = cast<AffineBinaryOpExpr>(expr);
  SizeExpression a = expressionOf(both.getLHS()), b = expressionOf(both.getRHS());
  switch (both.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return SizeExpression::floorDiv(a, b);
  case AffineExprKind::CeilDiv:
    return SizeExpression::floorDiv(a + b - 1, b);
  default:
    return SizeExpression::mod(a, b);
  }
}

/// Whether the expression is known to have its minimum at the first and its maximum at the last iteration of all loops.
static bool isIncreasing(AffineExpr expr) {
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return true;
  auto factor = dyn_cast<AffineConstantExpr>(both.getRHS());
  bool isSum = both.getKind() == AffineExprKind::Add;
  return isIncreasing(both.getLHS()) && (isSum ? isIncreasing(both.getRHS()) : factor && factor.getValue() > 0) &&
         both.getKind() != AffineExprKind::Mod;
}

/// Requires that the index `expr` lies inside a dimension of `extent` elements at all iterations. `loops` contains the
/// number of iterations of each loop.
void ExtentChecker::requireInside(AffineExpr expr, ArrayRef<Dim> loops, const Dim &extent) {
  SizeExpression index = expressionOf(expr);
  auto refuse = [&](const Dim &place) {
    if (wrong.empty())
      wrong = "accesses element '" + place.text() + "' of a dimension of extent '" + extent.text() + "'";
  };
  SmallVector<SizeExpression> firsts(loops.size(), 0), lasts;
  for (const Dim &loop : loops)
    lasts.push_back((loop - 1).asExpression());
  for (const SizeExpression &corner : {index.withPlaces(firsts), index.withPlaces(lasts)}) {
    Dim place(corner);
    if (place < 0 || place >= extent)
      refuse(place);
    SizeScope::current()->requireNotNegative((extent - 1 - place).asExpression());
  }
  if (wrong.empty() && !isIncreasing(expr) && !isWithin(index, loops, 0, extent))
    wrong = "may access elements outside of a dimension of extent '" + extent.text() + "'";
}

/// Requires that the loops have the extents of the dimensions that they index directly, and that all other index
/// expressions stay inside their dimensions.
void ExtentChecker::check(linalg::LinalgOp op) {
  SmallVector<int64_t> loops(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [extent, index] : llvm::zip_equal(type.getShape(), op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(index)) {
        requireEqual(loops[dim.getPosition()], extent);
        loops[dim.getPosition()] = extent;
      }
  }
  if (!isKnown(loops))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      for (auto [extent, index] : llvm::zip_equal(type.getShape(), op.getMatchingIndexingMap(&operand).getResults()))
        if (!isa<AffineDimExpr>(index) && isKnown({extent}))
          requireInside(index, llvm::map_to_vector(loops, dimOf), dimOf(extent));
}

void ExtentChecker::check(tensor::ConcatOp op) {
  auto result = cast<RankedTensorType>(op.getType());
  Dim all = 0;
  for (Type type : op->getOperandTypes())
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(type).getShape())) {
      if (dim != op.getDim())
        requireEqual(result.getDimSize(unsigned(dim)), extent);
      else if (!isKnown({extent}))
        return;
      else
        all += dimOf(extent);
    }
  if (isKnown({result.getDimSize(unsigned(op.getDim()))}))
    requireEqual(dimOf(result.getDimSize(unsigned(op.getDim()))), all);
}

void ExtentChecker::check(tensor::PadOp op) {
  if (!isKnown(op.getStaticLow()) || !isKnown(op.getStaticHigh()) || !op.getSourceType().hasStaticShape())
    return;
  SymbolicShape shape;
  for (auto [low, extent, high] : llvm::zip_equal(op.getStaticLow(), op.getSourceType().getShape(), op.getStaticHigh()))
    shape.push_back(dimOf(low) + dimOf(extent) + dimOf(high));
  requireShape(op.getResult(), shape);
}

void ExtentChecker::checkGroups(ArrayRef<int64_t> few, ArrayRef<int64_t> many, ArrayRef<ReassociationIndices> groups) {
  for (auto [extent, group] : llvm::zip(few, groups)) {
    Dim all = 1;
    bool known = isKnown({extent});
    for (int64_t dim : group) {
      known = known && isKnown({many[dim]});
      all *= dimOf(known ? many[dim] : 1);
    }
    if (known)
      requireEqual(dimOf(extent), all);
  }
}

void ExtentChecker::checkElementwise() {
  RankedTensorType first;
  for (Type operand : op->getOperandTypes()) {
    auto type = dyn_cast<RankedTensorType>(operand);
    if (!first)
      first = type;
    else if (type && type.getRank() == first.getRank())
      for (auto [a, b] : llvm::zip_equal(first.getShape(), type.getShape()))
        requireEqual(a, b);
  }
}

/// Requires that each operand has as many rows as the result if its row i contributes only to row i of the result.
void ExtentChecker::check(LayerOpInterface layer) {
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  SmallVector<unsigned> rows = layer.getResultRows();
  for (OpOperand &operand : layer->getOpOperands()) {
    OperandRows own = layer.getOperandRows(operand);
    if (own.rowwise && own.dims.size() == rows.size())
      for (auto [dim, row] : llvm::zip_equal(own.dims, rows))
        requireEqual(shapeOf(operand.get())[dim], shapeOf(layer->getResult(0))[row]);
  }
  if (auto attention = dyn_cast<AttentionOp>(op))
    checkScores(attention);
}

/// Requires that attention has as many values as keys, and that each extent of an operand that is broadcast to the
/// scores is 1 or the extent of the scores. These operands are the bias, the mask and the operands that regions read.
void ExtentChecker::checkScores(AttentionOp op) {
  auto positionsOf = [](Value value, Layout layout) {
    return cast<RankedTensorType>(value.getType()).getShape()[layout == Layout::Bhsd ? 2 : 1];
  };
  AttentionOp::Extents sizes = op.getSizes();
  requireEqual(positionsOf(op.getKey(), op.getKeyLayout()), positionsOf(op.getValue(), op.getValueLayout()));
  int64_t scores[] = {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys};
  SmallVector<Value> broadcast(op.getReads());
  broadcast.append({op.getBias(), op.getMask()});
  for (Value value : broadcast) {
    ArrayRef<int64_t> shape = value ? cast<RankedTensorType>(value.getType()).getShape() : ArrayRef<int64_t>();
    for (auto [extent, full] : llvm::zip(llvm::reverse(shape), llvm::reverse(scores)))
      if (extent != 1)
        requireEqual(extent, full);
  }
}

LogicalResult ExtentChecker::run() {
  llvm::TypeSwitch<Operation *>(op)
      .Case<linalg::LinalgOp, tensor::ConcatOp, tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ExpandShapeOp, tensor::CollapseShapeOp, LayerOpInterface>([&](auto known) { check(known); })
      .Default([&](Operation *) {
        if (op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::SameOperandsAndResultShape>())
          checkElementwise();
      });
  if (std::optional<std::string> why = SizeScope::current()->takeRefusal())
    return op->emitError() << "'" << op->getName() << "': " << *why;
  if (!wrong.empty())
    return op->emitError() << "'" << op->getName() << "' " << wrong;
  return success();
}

LogicalResult heddle::checkExtents(Operation *op) {
  // The checks need a scope to record errors. With fixed sizes there is none, so a scope without sizes is created.
  std::optional<SizeScope> ofNumbers;
  if (!SizeScope::current())
    ofNumbers.emplace(std::vector<ScopedSize>());
  return ExtentChecker(op).run();
}
