//===- LowerVectors.cpp - lowers vectors to vectors of one dimension ------===//

#include "heddle/Passes.h"

#include "Notes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERVECTORS
#include "heddle/Passes.h.inc"
} // namespace heddle

using PopulateFunction = llvm::function_ref<void(RewritePatternSet &)>;

/// Applies the patterns that `populate` adds to all operations within `op`.
static LogicalResult apply(Operation *op, PopulateFunction populate) {
  RewritePatternSet patterns(op->getContext());
  populate(patterns);
  return applyPatternsGreedily(op, std::move(patterns));
}

namespace {
/// Lowers a write with the annotation `nontemporal` to a nontemporal store, which bypasses the caches. The pass
/// heddle-stream-results adds this annotation only to writes whose address is aligned to the size of the vector.
struct LowerStreamingWrite : OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferWriteOp op, PatternRewriter &rewriter) const override {
    if (!heddle::notes::nontemporal.has(op))
      return rewriter.notifyMatchFailure(op, "does not stream");
    int64_t bytes = op.getVectorType().getNumElements() * op.getVectorType().getElementTypeBitWidth() / 8;
    rewriter.replaceOpWithNewOp<vector::StoreOp>(op, op.getVector(), op.getBase(), op.getIndices(),
                                                 /*nontemporal=*/true, llvm::MaybeAlign(bytes));
    return success();
  }
};

struct LowerVectors : heddle::impl::LowerVectorsBase<LowerVectors> {
  void runOnOperation() override {
    using namespace mlir::vector;
    Operation *op = getOperation();
    // Apply the groups of patterns one after the other: each group matches operations that the previous groups create.
    LogicalResult result = apply(op, [](RewritePatternSet &patterns) {
      patterns.add<LowerStreamingWrite>(patterns.getContext(), /*benefit=*/2);
      populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
      populateVectorTransferPermutationMapLoweringPatterns(patterns);
    });
    if (succeeded(result))
      result = apply(op, [](RewritePatternSet &patterns) {
        populateVectorContractLoweringPatterns(patterns, VectorContractLowering::OuterProduct);
        populateVectorOuterProductLoweringPatterns(patterns);
        populateVectorMultiReductionLoweringPatterns(patterns, VectorMultiReductionLowering::InnerParallel);
        populateVectorGatherLoweringPatterns(patterns);
        populateVectorStepLoweringPatterns(patterns);
      });
    if (succeeded(result))
      result = apply(op, [](RewritePatternSet &patterns) {
        populateVectorToSCFConversionPatterns(patterns,
                                              VectorTransferToSCFOptions().setTargetRank(1).enableFullUnroll());
        populateVectorTransposeLoweringPatterns(patterns, VectorTransposeLowering::Shuffle16x16);
      });
    if (succeeded(result))
      result = apply(op, [](RewritePatternSet &patterns) {
        populateVectorBroadcastLoweringPatterns(patterns);
        populateVectorMaskOpLoweringPatterns(patterns);
        populateVectorShapeCastLoweringPatterns(patterns);
        populateVectorTransposeLoweringPatterns(patterns, VectorTransposeLowering::Shuffle1D);
        populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
        populateScalarVectorTransferLoweringPatterns(patterns, /*benefit=*/1, /*allowMultipleUses=*/true);
      });
    if (failed(result)) {
      op->emitError("the lowering of vector operations does not terminate");
      return signalPassFailure();
    }
  }
};
} // namespace
