//===- ExpandForPtx.cpp - operations that NVVM lacks ----------------------===//
//
// This pass replaces operations that the NVVM dialect does not have:
// reductions over a sub-group become shuffles, and divisions that round up or
// down and vector.step become simpler operations. It also lowers heddle.pair
// and rounds two neighbouring elements of a vector with one instruction, which
// LLVM would not do.
//
//===----------------------------------------------------------------------===//

#include "PairRoundings.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDFORPTX
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct ExpandForPtx : heddle::impl::ExpandForPtxBase<ExpandForPtx> {
  using ExpandForPtxBase::ExpandForPtxBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateGpuLowerSubgroupReduceToShufflePatterns(patterns, unsigned(subgroup));
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    heddle::populatePairRoundings(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
