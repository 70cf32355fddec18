//===- Generalize.cpp - transform.heddle.generalize -----------------------===//

#include "TileTasks.h"
#include "TransformOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

/// Only moves elements: a transposition, broadcast or fill.
static bool movesOnly(linalg::GenericOp op) { return op.getBody()->getOperations().size() == 1; }

static bool isContraction(linalg::GenericOp op) {
  return linalg::isaContractionOpInterface(cast<linalg::LinalgOp>(op.getOperation()));
}

/// A producer goes into its consumer if nothing else needs it or it is no work to repeat. A
/// contraction takes moves only: with anything else in its body it would stop being one.
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

/// Neighbouring loops that every operand walks as one.
static SmallVector<ReassociationIndices> collapsible(linalg::LinalgOp op) {
  // A fill stays with the op that it starts.
  bool fills = llvm::none_of(op.getDpsInputs(), [](Value input) { return isa<ShapedType>(input.getType()); });
  if (!op.isAllParallelLoops() || op.hasIndexSemantics() || fills)
    return {};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  SmallVector<ReassociationIndices> groups;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!groups.empty()) {
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

/// What is reduced with `into`, if the body does so by and, or, xor, which do the same to 0 and 1 as bytes.
static OpOperand *findReduced(linalg::GenericOp op, BlockArgument into, unsigned number) {
  Operation *combine = op.getBody()->getTerminator()->getOperand(number).getDefiningOp();
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combine) || !into.hasOneUse() ||
      into.use_begin()->getOwner() != combine || !combine->hasOneUse())
    return nullptr;
  return &combine->getOpOperand(combine->getOperand(0) == into ? 1 : 0);
}

/// A tensor of i1 between two ops would be read as vectors of bits: it becomes i8.
static LogicalResult widenBooleans(RewriterBase &rewriter, linalg::GenericOp producer, unsigned number) {
  OpResult result = producer->getResult(number);
  for (OpOperand &use : result.getUses())
    if (auto consumer = dyn_cast<linalg::GenericOp>(use.getOwner()); !consumer || consumer.isDpsInit(&use))
      return success();
  Type i8 = rewriter.getI8Type(), i1 = rewriter.getI1Type();
  Location loc = producer.getLoc();
  auto type = cast<RankedTensorType>(result.getType()).clone(i8);
  auto terminator = cast<linalg::YieldOp>(producer.getBody()->getTerminator());
  OpOperand *init = producer.getDpsInitOperand(number);
  BlockArgument into = producer.getMatchingBlockArgument(init);
  bool reduces = producer.payloadUsesValueFromOperand(init);
  rewriter.setInsertionPoint(producer);
  Value start = reduces ? emitFillValue(rewriter, init->get()) : Value();
  // A reduction along a dimension of size 1 starts and ends with the same element.
  if (start && producer.getNumParallelLoops() == producer.getNumLoops()) {
    rewriter.replaceAllUsesWith(into, start);
    reduces = false;
  }
  OpOperand *reduced = reduces ? findReduced(producer, into, number) : nullptr;
  if (reduces && (!start || !reduced))
    return producer.emitError("cannot lower a reduction of booleans other than and, or, xor from a constant on");
  Value bytes = tensor::EmptyOp::create(rewriter, loc, type.getShape(), i8);
  if (reduces)
    bytes = linalg::FillOp::create(rewriter, loc, Value(arith::ExtUIOp::create(rewriter, loc, i8, start)), bytes).getResult(0);
  rewriter.modifyOpInPlace(producer, [&] {
    init->set(bytes);
    into.setType(i8);
    result.setType(type);
    OpOperand &widened = reduces ? *reduced : terminator->getOpOperand(number);
    rewriter.setInsertionPoint(widened.getOwner());
    widened.set(arith::ExtUIOp::create(rewriter, loc, i8, widened.get()));
    if (reduces)
      reduced->getOwner()->getResult(0).setType(i8);
  });
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
    auto consumer = cast<linalg::GenericOp>(use.getOwner());
    BlockArgument argument = consumer.getMatchingBlockArgument(&use);
    rewriter.modifyOpInPlace(consumer, [&] {
      argument.setType(i8);
      rewriter.setInsertionPointToStart(consumer.getBody());
      auto bit = arith::TruncIOp::create(rewriter, consumer.getLoc(), i1, argument);
      argument.replaceAllUsesExcept(bit, bit);
    });
  }
  return success();
}

DiagnosedSilenceableFailure transforms::GeneralizeOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                 Operation *target, transform::TransformState &state) {
  auto func = dyn_cast<func::FuncOp>(target);
  if (!func)
    return emitDefiniteFailure("generalizes a function, found ") << target->getName();
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
    return emitDefiniteFailure("patterns do not come to an end");
  for (auto generic : llvm::to_vector(func.getOps<linalg::GenericOp>()))
    for (unsigned number = 0; number < generic.getNumResults(); ++number)
      if (cast<RankedTensorType>(generic->getResult(number).getType()).getElementType().isInteger(1) &&
          failed(widenBooleans(rewriter, generic, number)))
        return emitDefiniteFailure("cannot lower what a kernel does with booleans");
  return DiagnosedSilenceableFailure::success();
}
