//===- DequantizeViews.cpp - views of dequantized tensors -----------------===//

#include "DequantizeViews.h"
#include "BlockViews.h"
#include "Shapes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Replaces a view of the result of `op` by a heddle.dequantize whose operands are views of the operands of `op`. The
/// functions return the result of the new heddle.dequantize, or null if no heddle.dequantize can compute the view.
struct ViewBuilder {
  ViewBuilder(OpBuilder &b, DequantizeOp op)
      : b(b), loc(op.getLoc()), op(op), block(op.getBlock()), rows(op.getOutlierRows()) {}

  /// `view` is a transposition, slice or reshape of the result of `op`.
  Value build(Operation *view);

private:
  /// Creates a view of an operand of `op`.
  using Make = llvm::function_ref<Value(Value)>;
  /// Creates the new heddle.dequantize. `ofElements` creates the view of the input, `ofBlocks` the views of scales,
  /// zero points and minima, and `ofOutliers` the view of the outlier rows.
  Value create(RankedTensorType type, Make ofElements, Make ofBlocks, Make ofOutliers);
  Value transposed(linalg::TransposeOp view);
  Value sliced(tensor::ExtractSliceOp view);
  /// `viewBlock` contains the block sizes in the reshaped tensor; nullopt if its blocks are not all of one rectangular
  /// shape.
  template <typename View>
  Value reshaped(View view, std::optional<SmallVector<int64_t>> viewBlock);

  OpBuilder &b;
  Location loc;
  DequantizeOp op;
  /// The block sizes and the outlier rows: first those of `op`, then those of the new heddle.dequantize.
  SmallVector<int64_t> block, rows;
};
} // namespace

static ArrayRef<int64_t> shapeOfType(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

Value ViewBuilder::create(RankedTensorType type, Make ofElements, Make ofBlocks, Make ofOutliers) {
  auto blocks = [&](Value value) { return value ? ofBlocks(value) : Value(); };
  Value input = ofElements(op.getInput()), outliers = op.getOutliers() ? ofOutliers(op.getOutliers()) : Value();
  Value scales = blocks(op.getScales()), zeros = blocks(op.getZeroPoints()), minima = blocks(op.getMinima());
  Value numbers = outliers ? op.getOutlierIndices() : Value();
  return DequantizeOp::create(b, loc, type, input, scales, zeros, minima, outliers, numbers, block, rows,
                              /*format=*/Format(), /*transposed=*/false);
}

Value ViewBuilder::transposed(linalg::TransposeOp view) {
  ArrayRef<int64_t> permutation = view.getPermutation();
  // Outliers are rows, so dimension 0 must remain the first dimension.
  if (!view.hasPureTensorSemantics() || (op.getOutliers() && permutation[0] != 0))
    return {};
  block = applyPermutation(op.getBlock(), permutation);
  auto transpose = [&](Value value) -> Value {
    SmallVector<int64_t> shape = applyPermutation(shapeOfType(value), permutation);
    Value empty = tensor::EmptyOp::create(b, loc, shape, getElementTypeOrSelf(value));
    return linalg::TransposeOp::create(b, loc, value, empty, permutation)->getResult(0);
  };
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (!type.hasStaticShape())
    return {};
  return create(type, transpose, transpose, transpose);
}

template <typename View>
Value ViewBuilder::reshaped(View view, std::optional<SmallVector<int64_t>> viewBlock) {
  SmallVector<ReassociationIndices> groups = view.getReassociationIndices();
  RankedTensorType type = view.getResultType();
  if (!viewBlock || !type.hasStaticShape() || (op.getOutliers() && (groups.empty() || groups[0].size() != 1)))
    return {};
  block = *viewBlock;
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    auto shaped = RankedTensorType::get(shape, getElementTypeOrSelf(value));
    return View::create(b, loc, shaped, value, groups);
  };
  SmallVector<int64_t> outliers(type.getShape()), blocks;
  if (op.getOutliers())
    outliers[0] = shapeOfType(op.getOutliers())[0];
  for (auto [size, each] : llvm::zip_equal(type.getShape(), block))
    blocks.push_back(llvm::divideCeilSigned(size, each));
  return create(
      type, [&](Value value) { return reshape(value, type.getShape()); },
      [&](Value value) { return reshape(value, blocks); }, [&](Value value) { return reshape(value, outliers); });
}

Value ViewBuilder::sliced(tensor::ExtractSliceOp view) {
  ArrayRef<int64_t> shape = shapeOfType(op.getInput());
  SmallVector<Span> elements, blocks;
  for (auto [offset, size, stride] :
       llvm::zip_equal(view.getMixedOffsets(), view.getMixedSizes(), view.getMixedStrides()))
    elements.push_back({offset, size, stride});
  for (auto [span, all, each] : llvm::zip_equal(elements, shape, block)) {
    std::optional<Span> met = spanOfBlocks(b, loc, span, all, each);
    if (!met)
      return {};
    blocks.push_back(*met);
  }
  llvm::SmallBitVector dropped = view.getDroppedDims();
  auto slice = [&](Value value, ArrayRef<Span> spans) -> Value {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (const Span &span : spans) {
      offsets.push_back(span.offset);
      sizes.push_back(span.size);
      strides.push_back(span.stride);
    }
    RankedTensorType whole = tensor::ExtractSliceOp::inferResultType(cast<RankedTensorType>(value.getType()), sizes);
    SmallVector<int64_t> kept;
    for (auto [dim, size] : llvm::enumerate(whole.getShape()))
      if (!dropped[dim])
        kept.push_back(size);
    return tensor::ExtractSliceOp::create(b, loc, whole.clone(kept), value, offsets, sizes, strides);
  };
  SmallVector<int64_t> keptBlock;
  for (auto [dim, each] : llvm::enumerate(block))
    if (!dropped[dim])
      keptBlock.push_back(each);
  block = keptBlock;
  if (!op.getOutliers())
    return create(
        view.getType(), [&](Value value) { return slice(value, elements); },
        [&](Value value) { return slice(value, blocks); }, nullptr);

  // The rows of the slice must be known at compile time, since the new operation lists the outlier rows among them.
  const Span &first = elements[0];
  std::optional<int64_t> from = getConstantIntValue(first.offset), count = getConstantIntValue(first.size);
  if (dropped[0] || !from || !count || getConstantIntValue(first.stride) != 1)
    return {};
  if (op.getOutlierIndices()) { // the indices are not known at compile time, so the slice must contain all rows
    if (*from != 0 || *count != shape[0])
      return {};
    SmallVector<Span> all(elements);
    all[0].size = b.getIndexAttr(shapeOfType(op.getOutliers())[0]);
    return create(
        view.getType(), [&](Value value) { return slice(value, elements); },
        [&](Value value) { return slice(value, blocks); }, [&](Value value) { return slice(value, all); });
  }
  auto *begin = llvm::lower_bound(rows, *from), *end = llvm::lower_bound(rows, *from + *count);
  SmallVector<Span> outliers(elements);
  outliers[0] = {b.getIndexAttr(begin - rows.begin()), b.getIndexAttr(end - begin), b.getIndexAttr(1)};
  SmallVector<int64_t> met;
  for (int64_t row : llvm::make_range(begin, end))
    met.push_back(row - *from);
  rows = met;
  Value none; // if the slice contains no outlier row, the new operation has no operand `outliers`
  auto ofOutliers = [&](Value value) { return met.empty() ? none : slice(value, outliers); };
  return create(
      view.getType(), [&](Value value) { return slice(value, elements); },
      [&](Value value) { return slice(value, blocks); }, ofOutliers);
}

Value ViewBuilder::build(Operation *view) {
  return llvm::TypeSwitch<Operation *, Value>(view)
      .Case([&](linalg::TransposeOp transpose) { return transposed(transpose); })
      .Case([&](tensor::ExtractSliceOp slice) { return sliced(slice); })
      .Case([&](tensor::ExpandShapeOp expand) {
        return reshaped(expand, expandBlock(expand.getResultType().getShape(), block, shapeOfType(op.getInput()),
                                            expand.getReassociationIndices()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return reshaped(collapse,
                        collapseBlock(block, shapeOfType(op.getInput()), collapse.getReassociationIndices()));
      })
      .Default([](Operation *) { return Value(); });
}

Value heddle::dequantizedView(OpBuilder &builder, Operation *view, DequantizeOp dequantize) {
  return !dequantize.getScales() ? Value() : ViewBuilder(builder, dequantize).build(view);
}

//===- Folding into the recipes of weights ---------------------------------===//

bool heddle::isOfWeights(DequantizeOp op) {
  return op && op.getScales() &&
         llvm::all_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<WeightOp>(); });
}

/// Replaces a view of dequantized weights by a heddle.dequantize of views of the weights. Other patterns then fold
/// these views into the recipes of the weights.
template <typename View>
static LogicalResult foldView(View op, PatternRewriter &rewriter) {
  auto dequantize = op->getOperand(0).template getDefiningOp<DequantizeOp>();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isOfWeights(dequantize) || !type.hasStaticShape())
    return failure();
  if constexpr (std::is_same_v<View, tensor::ExtractSliceOp>)
    if (!isOfEveryCall(op))
      return failure();
  rewriter.setInsertionPoint(op);
  Value view = dequantizedView(rewriter, op, dequantize);
  if (!view)
    return failure();
  rewriter.replaceOp(op, view);
  return success();
}

/// Replaces a concatenation of dequantized weights by a heddle.dequantize of concatenated weights. The parts must be
/// stored alike (areStoredAlike), and all parts but the last must consist of whole blocks along the concatenated
/// dimension. Parts with `outlier_indices` are not supported; nor are parts with outlier rows if the concatenated
/// dimension is 0.
static LogicalResult foldConcat(tensor::ConcatOp op, PatternRewriter &rewriter) {
  auto first = op.getInputs()[0].getDefiningOp<DequantizeOp>();
  unsigned dim = op.getDim();
  if (!isOfWeights(first) || op.getInputs().size() < 2 || !op.getResultType().hasStaticShape())
    return failure();
  SmallVector<SmallVector<Value>> parts(first->getNumOperands());
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    auto part = input.getDefiningOp<DequantizeOp>();
    if (!isOfWeights(part) || !areStoredAlike(first, part) || (dim == 0 && part.getOutliers()) ||
        part.getOutlierIndices())
      return failure();
    int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(dim);
    if (number + 1 < op.getInputs().size() && size % part.getBlock()[dim] != 0)
      return failure();
    for (auto [all, operand] : llvm::zip_equal(parts, part->getOperands()))
      all.push_back(operand);
  }
  SmallVector<Value> operands;
  for (ArrayRef<Value> all : parts)
    operands.push_back(tensor::ConcatOp::create(rewriter, op.getLoc(), dim, all));
  Operation *whole = rewriter.clone(*first);
  whole->setOperands(operands);
  whole->getResult(0).setType(op.getResultType());
  rewriter.replaceOp(op, whole);
  return success();
}

bool heddle::areStoredAlike(DequantizeOp a, DequantizeOp b) {
  auto elementsOf = [](DequantizeOp op) {
    return llvm::map_to_vector(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  };
  return a.getProperties() == b.getProperties() && elementsOf(a) == elementsOf(b) &&
         getElementTypeOrSelf(a.getType()) == getElementTypeOrSelf(b.getType());
}

void heddle::populateViewsOfDequantized(RewritePatternSet &patterns) {
  patterns.add(foldView<linalg::TransposeOp>).add(foldView<tensor::ExtractSliceOp>).add(foldConcat);
  patterns.add(foldView<tensor::ExpandShapeOp>).add(foldView<tensor::CollapseShapeOp>);
}
