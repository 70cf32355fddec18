//===- Generalize.cpp - transform.heddle.generalize -----------------------===//

#include "TileTasks.h"
#include "TransformOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the op only moves elements: a transposition, broadcast or fill.
static bool movesOnly(linalg::GenericOp op) { return op.getBody()->getOperations().size() == 1; }

/// Returns whether the op is a generalized matrix product.
static bool isContraction(linalg::GenericOp op) {
  return linalg::isaContractionOpInterface(cast<linalg::LinalgOp>(op.getOperation()));
}

/// Returns whether the producer of `operand` is fused into its consumer: if it has no other user, or if it is cheap to
/// compute again. A reduction is never fused. Only ops that move elements are fused into a contraction; with any other
/// op in its body, the contraction would no longer be recognised as one.
static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer)
    return false;
  if (isContraction(consumer) && !movesOnly(producer))
    return false;
  bool boolean = cast<ShapedType>(operand->get().getType()).getElementType().isInteger(1);
  bool reduces = llvm::is_contained(producer.getIteratorTypesArray(), utils::IteratorType::reduction);
  return !reduces && (producer->hasOneUse() || movesOnly(producer) || boolean);
}

/// Returns groups of adjacent loops that can be collapsed into one loop: in every operand that is indexed by the loops
/// of a group, the dimensions that they index are adjacent and in the order of the loops.
static SmallVector<ReassociationIndices> collapsible(linalg::LinalgOp op) {
  // A fill is not collapsed, because the op that uses the fill's result as its destination needs this shape.
  bool fills = llvm::none_of(op.getDpsInputs(), [](Value input) { return isa<ShapedType>(input.getType()); });
  if (!op.isAllParallelLoops() || op.hasIndexSemantics() || fills)
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  // A dimension whose size lies in a range is not joined with a fixed one, since only fixed dimensions are cut into
  // tiles.
  Sizes sizes(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isFixed = [&](unsigned loop) { return sizes.of(ranges[loop]).isFixed(); };
  SmallVector<ReassociationIndices> groups;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!groups.empty() && isFixed(loop) == isFixed(loop - 1)) {
      ReassociationIndices joined = groups.back();
      joined.push_back(loop);
      if (linalg::areDimSequencesPreserved(maps, {joined})) {
        groups.back() = joined;
        continue;
      }
    }
    groups.push_back({loop});
  }
  llvm::erase_if(groups, [](const ReassociationIndices &group) { return group.size() < 2; });
  return groups;
}

/// Converts the ops of a function to linalg.generic, fuses them, and removes dimensions of size 1 and dimensions that
/// can be joined with others.
DiagnosedSilenceableFailure transforms::GeneralizeOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                 Operation *target, transform::TransformState &state) {
  auto func = dyn_cast<func::FuncOp>(target);
  if (!func)
    return emitDefiniteFailure("expects a function as target, found ") << target->getName();
  MLIRContext *context = func.getContext();
  GreedyRewriteConfig config;
  config.setListener(static_cast<RewriterBase::Listener *>(rewriter.getListener()));
  auto apply = [&](function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(context);
    populate(patterns);
    return applyPatternsGreedily(func, std::move(patterns), config);
  };
  if (failed(apply([](RewritePatternSet &set) {
        linalg::populateElementwiseToLinalgConversionPatterns(set);
        linalg::populateLinalgNamedOpsGeneralizationPatterns(set);
      })) ||
      failed(apply([&](RewritePatternSet &set) {
        linalg::populateElementwiseOpsFusionPatterns(set, shouldFuse);
        linalg::GenericOp::getCanonicalizationPatterns(set, context);
        tensor::populateReassociativeReshapeFoldingPatterns(set);
      })) ||
      failed(apply([&](RewritePatternSet &set) {
        linalg::ControlDropUnitDims control;
        linalg::populateFoldUnitExtentDimsPatterns(set, control);
      })) ||
      failed(apply([&](RewritePatternSet &set) {
        linalg::populateElementwiseOpsFusionPatterns(set, shouldFuse);
        linalg::populateCollapseDimensions(set, collapsible);
        tensor::populateReassociativeReshapeFoldingPatterns(set);
      })))
    return emitDefiniteFailure("the rewriting of the function does not terminate");
  return DiagnosedSilenceableFailure::success();
}
