//===- LowerCopies.cpp - buffer copies as loops ---------------------------===//
//
// MLIR lowers a memref.copy between strided buffers to a call of a function of
// its runtime library, which generated code does not link. So this pass lowers
// each copy to a nest of loops.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERCOPIES
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct LowerCopy : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CopyOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the source has no rank");
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> indices;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      Value extent = rewriter.createOrFold<memref::DimOp>(loc, op.getSource(), i);
      auto loop = scf::ForOp::create(rewriter, loc, zero, extent, one);
      indices.push_back(loop.getInductionVar());
      rewriter.setInsertionPointToStart(loop.getBody());
    }
    Value element = memref::LoadOp::create(rewriter, loc, op.getSource(), indices);
    memref::StoreOp::create(rewriter, loc, element, op.getTarget(), indices);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCopies : heddle::impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerCopy>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
