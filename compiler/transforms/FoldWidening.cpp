//===- FoldWidening.cpp - numbers are widened where they are loaded -------===//

#include "heddle/Passes.h"

#include "Heddle.h"

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
#define GEN_PASS_DEF_FOLDWIDENING
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// The type with the elements of `like`.
static Type withElementsOf(Value like, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(getElementTypeOrSelf(like))) : getElementTypeOrSelf(like);
}

/// `op` on what is stored of its first operand, with results as narrow; null where that is not widened.
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

template <typename View>
static LogicalResult foldView(View op, PatternRewriter &rewriter) {
  Operation *narrow = onStored(op, rewriter);
  if (!narrow)
    return failure();
  rewriter.replaceOp(op, widenedLike(rewriter, narrow->getResult(0), op->getOperand(0)));
  return success();
}

/// An element, or the size of a dimension.
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

static LogicalResult foldRead(vector::TransferReadOp op, PatternRewriter &rewriter) {
  auto widen = op.getBase().getDefiningOp<DequantizeOp>();
  if (!widen || !widen.isPlain())
    return failure();
  Type element = getElementTypeOrSelf(widen.getInput());
  // What is read beyond the end is a number that any type holds, or masked.
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

/// What reads it as a whole finds it in memory after all.
static LogicalResult store(DequantizeOp op, PatternRewriter &rewriter) {
  if (!op.isPlain())
    return failure();
  auto type = cast<RankedTensorType>(op.getType());
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, op.getInput(), empty, maps, iterators, [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, Value(arith::ExtFOp::create(b, loc, args[1].getType(), args[0])));
      });
  return success();
}

namespace {
struct FoldWidening : heddle::impl::FoldWideningBase<FoldWidening> {
  void runOnOperation() override {
    RewritePatternSet folds(&getContext()), rest(&getContext());
    folds.add(foldView<tensor::ExtractSliceOp>).add(foldView<tensor::ExpandShapeOp>);
    folds.add(foldView<tensor::CollapseShapeOp>).add(foldView<tensor::CastOp>);
    folds.add(foldElement<tensor::ExtractOp>).add(foldElement<tensor::DimOp>).add(foldRead);
    rest.add(store);
    if (failed(applyPatternsGreedily(getOperation(), std::move(folds))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(rest))))
      signalPassFailure();
  }
};
} // namespace
