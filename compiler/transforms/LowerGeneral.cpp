//===- LowerGeneral.cpp - kernels that no strategy took -------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERGENERAL
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// linalg.softmax, and the heddle ops that say what they are made of.
struct Decompose : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op, PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct LowerGeneral : heddle::impl::LowerGeneralBase<LowerGeneral> {
  void runOnOperation() override {
    // Without the morph broadcasts do not fuse.
    OpPassManager pipeline(func::FuncOp::getOperationName());
    pipeline.addPass(createConvertElementwiseToLinalgPass());
    pipeline.addPass(createLinalgMorphOpsPass(
        {/*namedToCategory=*/false, /*categoryToGeneric=*/false, /*namedToGeneric=*/true}));
    pipeline.addPass(createLinalgElementwiseOpFusionPass());
    pipeline.addPass(createCanonicalizerPass());
    pipeline.addPass(createCSEPass());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func->hasAttr("heddle.kernel") || func->hasAttr("heddle.strategy"))
        continue;
      RewritePatternSet patterns(&getContext());
      patterns.add<Decompose>(&getContext());
      tensor::populateDecomposeTensorConcatPatterns(patterns);
      linalg::populateDecomposePadPatterns(patterns);
      if (failed(applyPatternsGreedily(func, std::move(patterns))) || failed(runPipeline(pipeline, func)))
        return signalPassFailure();
    }
  }
};
} // namespace
