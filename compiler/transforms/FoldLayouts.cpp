//===- FoldLayouts.cpp - head split and merge as layouts ------------------===//
//
// Models split a projection into heads by a reshape and a transpose, and merge the heads by the inverse operations. The
// pass heddle-fold-layouts replaces these transposes by layout attributes of heddle.attention, so that no data is
// moved.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_FOLDLAYOUTS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns whether the transpose is not null and swaps the dimensions of heads and positions.
static bool swapsMiddle(linalg::TransposeOp transpose) {
  return transpose && transpose.hasPureTensorSemantics() && transpose.getPermutation() == ArrayRef<int64_t>{0, 2, 1, 3};
}

static Layout swapped(Layout layout) { return layout == Layout::Bhsd ? Layout::Bshd : Layout::Bhsd; }

/// Folds transposes that define the query, key or value: attention then reads the operand of the transpose.
static LogicalResult foldOperands(AttentionOp op, PatternRewriter &rewriter) {
  bool changed = false;
  auto fold = [&](OpOperand &operand, Layout layout, auto setLayout) {
    auto transpose = operand.get().getDefiningOp<linalg::TransposeOp>();
    if (!swapsMiddle(transpose))
      return;
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(transpose.getInput());
      (op.*setLayout)(swapped(layout));
    });
    changed = true;
  };
  fold(op.getQueryMutable(), op.getQueryLayout(), &AttentionOp::setQueryLayout);
  fold(op.getKeyMutable(), op.getKeyLayout(), &AttentionOp::setKeyLayout);
  fold(op.getValueMutable(), op.getValueLayout(), &AttentionOp::setValueLayout);
  return success(changed);
}

/// Folds a transpose that is the only user of an attention's result: attention then writes its result in the transposed
/// order.
static LogicalResult foldResult(linalg::TransposeOp transpose, PatternRewriter &rewriter) {
  auto op = transpose.getInput().getDefiningOp<AttentionOp>();
  if (!op || !swapsMiddle(transpose) || !op.getResult().hasOneUse())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.setResultLayout(swapped(op.getResultLayout()));
    op.getResult().setType(cast<RankedTensorType>(transpose->getResult(0).getType()));
  });
  rewriter.replaceOp(transpose, op.getResult());
  return success();
}

namespace {
struct FoldLayouts : heddle::impl::FoldLayoutsBase<FoldLayouts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(foldOperands).add(foldResult);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
