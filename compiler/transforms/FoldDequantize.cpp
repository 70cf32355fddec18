//===- FoldDequantize.cpp - converts elements after loading ---------------===//
//
// The result of heddle.dequantize is a tensor that is stored with narrower elements, possibly with scales for blocks.
// The pass heddle-fold-dequantize replaces reads of this tensor by reads of the stored tensor and conversions of the
// elements that were read. If this is not possible for a read, the pass computes the slice that is read, or the whole
// result, in memory.
//
//===----------------------------------------------------------------------===//

#include "StoredReads.h"

#include "heddle/Passes.h"

#include "ops/DequantizeViews.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FOLDDEQUANTIZE
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// Returns `type` with the element type of `like`.
static Type withElementsOf(Value like, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(getElementTypeOrSelf(like))) : getElementTypeOrSelf(like);
}

/// Returns a clone of `op` that uses the stored tensor instead of its first operand and has results of the stored type;
/// null if the first operand is not a tensor that is converted without scales.
static Operation *onStored(Operation *op, PatternRewriter &rewriter) {
  Value stored = op->getNumOperands() ? storedValue(op->getOperand(0)) : Value();
  if (!stored || stored == op->getOperand(0))
    return nullptr;
  Operation *narrow = rewriter.clone(*op);
  narrow->setOperand(0, stored);
  for (OpResult result : narrow->getResults())
    if (!isa<IndexType>(result.getType()))
      result.setType(withElementsOf(stored, result.getType()));
  return narrow;
}

namespace {
/// Replaces a view of a tensor that is converted without scales by a conversion of a view of the stored tensor, and a
/// view of a tensor with scales by heddle.dequantize of views of the stored tensor and its scales. Fails if the view of
/// a tensor with scales does not consist of whole blocks.
struct FoldView : RewritePattern {
  explicit FoldView(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto dequantize = isView(op) ? op->getOperand(0).getDefiningOp<DequantizeOp>() : DequantizeOp();
    if (!dequantize)
      return failure();
    if (Operation *narrow = onStored(op, rewriter)) {
      rewriter.replaceOp(op, widenedLike(rewriter, narrow->getResult(0), op->getOperand(0)));
      return success();
    }
    Value view = dequantizedView(rewriter, op, dequantize);
    if (!view)
      return failure();
    rewriter.replaceOp(op, view);
    return success();
  }
};
} // namespace

/// Folds a read of one element, or of a dimension's size.
template <typename Access>
static LogicalResult foldElement(Access op, PatternRewriter &rewriter) {
  Operation *narrow = onStored(op, rewriter);
  if (!narrow)
    return failure();
  Value result = narrow->getResult(0);
  if (result.getType() != op.getType())
    result = arith::ExtFOp::create(rewriter, op.getLoc(), op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

/// Folds a vector read of a tensor that is converted without scales.
static LogicalResult foldPlainRead(vector::TransferReadOp op, DequantizeOp widen, PatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(widen.getInput());
  // Elements beyond the end are masked, or read as the padding value, which must be a constant.
  FloatAttr padding;
  if (!matchPattern(op.getPadding(), m_Constant(&padding)))
    return failure();
  Value narrowPadding =
      arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getFloatAttr(element, padding.getValueAsDouble()));
  Value narrow = vector::TransferReadOp::create(rewriter, op.getLoc(), op.getVectorType().clone(element),
                                                widen.getInput(), op.getIndices(), op.getPermutationMapAttr(),
                                                narrowPadding, op.getMask(), op.getInBoundsAttr());
  rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getVectorType(), narrow);
  return success();
}

/// Folds a vector read of a tensor that is converted with or without scales.
static LogicalResult foldRead(vector::TransferReadOp op, PatternRewriter &rewriter) {
  auto dequantize = op.getBase().getDefiningOp<DequantizeOp>();
  if (!dequantize)
    return failure();
  if (dequantize.isPlain())
    return foldPlainRead(op, dequantize, rewriter);
  Value value = emitStoredVector(rewriter, op, dequantize);
  if (!value)
    return failure();
  rewriter.replaceOp(op, value);
  return success();
}

/// Prefetches the stored tensor instead of the widened tensor, since rows of the stored tensor are loaded.
static LogicalResult foldPrefetches(bufferization::ToBufferOp op, PatternRewriter &rewriter) {
  auto dequantize = op.getTensor().getDefiningOp<DequantizeOp>();
  if (!dequantize || !llvm::all_of(op->getUsers(), llvm::IsaPred<memref::PrefetchOp>))
    return failure();
  auto type = cast<MemRefType>(withElementsOf(dequantize.getInput(), op.getType()));
  rewriter.replaceOpWithNewOp<bufferization::ToBufferOp>(op, type, dequantize.getInput(), op.getReadOnly());
  return success();
}

/// Copies the stored elements into the tile and converts them to the tile's element type.
static LogicalResult foldCopy(TileCopyOp op, PatternRewriter &rewriter) {
  Value stored = storedValue(op.getSource());
  if (stored == op.getSource())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(stored); });
  return success();
}

//===- tensors with scales -------------------------------------------------===//

/// Returns the operation that defines `value` if it is a heddle.dequantize with scales; null otherwise.
static DequantizeOp withScales(Value value) {
  auto op = value.getDefiningOp<DequantizeOp>();
  return op && op.getScales() ? op : DequantizeOp();
}

static LogicalResult foldStoredElement(tensor::ExtractOp op, PatternRewriter &rewriter) {
  DequantizeOp dequantize = withScales(op.getTensor());
  if (!dequantize)
    return failure();
  rewriter.replaceOp(op, emitStoredElement(rewriter, op.getLoc(), dequantize, op.getIndices()));
  return success();
}

static LogicalResult foldStoredSize(tensor::DimOp op, PatternRewriter &rewriter) {
  DequantizeOp dequantize = withScales(op.getSource());
  if (!dequantize)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(dequantize.getInput()); });
  return success();
}

//===- remaining uses ------------------------------------------------------===//

/// Computes in memory a slice of a dequantized tensor that is not a view of whole blocks.
static LogicalResult storeSlice(tensor::ExtractSliceOp op, PatternRewriter &rewriter) {
  DequantizeOp dequantize = withScales(op.getSource());
  if (!dequantize || !op.getType().hasStaticShape())
    return failure();
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location, ValueRange) {
    SmallVector<Value> indices;
    unsigned kept = 0;
    for (auto [dim, offset, stride] : llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
      AffineExpr start = b.getAffineDimExpr(0), step = b.getAffineSymbolExpr(0), number = b.getAffineDimExpr(1);
      OpFoldResult at = b.getIndexAttr(0);
      if (!dropped[dim])
        at = Value(linalg::IndexOp::create(b, loc, kept++));
      OpFoldResult index = affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(2, 1, start + number * step), {offset, at, stride});
      indices.push_back(getValueOrCreateConstantIndexOp(b, loc, index));
    }
    linalg::YieldOp::create(b, loc, emitStoredElement(b, loc, dequantize, indices));
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(op, type, ValueRange(), empty, identity, iterators, body);
  return success();
}

/// Computes a dequantized tensor in memory, for operations that read the whole tensor.
static LogicalResult store(DequantizeOp op, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getType());
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(op.isPlain() ? 2 : 1, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  if (op.isPlain())
    inputs.push_back(op.getInput());
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, inputs, empty, maps, iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value element;
        if (op.isPlain()) {
          element = arith::ExtFOp::create(b, loc, args[1].getType(), args[0]);
        } else {
          SmallVector<Value> indices;
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            indices.push_back(linalg::IndexOp::create(b, loc, dim));
          element = emitStoredElement(b, loc, op, indices);
        }
        linalg::YieldOp::create(b, loc, element);
      });
  return success();
}

namespace {
struct FoldDequantize : heddle::impl::FoldDequantizeBase<FoldDequantize> {
  void runOnOperation() override {
    RewritePatternSet folds(&getContext()), slices(&getContext()), rest(&getContext());
    folds.add<FoldView>(&getContext());
    folds.add(foldElement<tensor::ExtractOp>).add(foldElement<tensor::DimOp>).add(foldRead).add(foldPrefetches);
    folds.add(foldCopy).add(foldStoredElement).add(foldStoredSize);
    slices.add(storeSlice);
    rest.add(store);
    if (failed(applyPatternsGreedily(getOperation(), std::move(folds))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(slices))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest))))
      signalPassFailure();
  }
};
} // namespace
