//===- Recognise.cpp - applies all recognisers to a module ----------------===//

#include "heddle/Recognise.h"
#include "Match.h"
#include "Recognisers.h"

#include "Heddle.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

using Recogniser = LogicalResult (*)(Operation *, Recognition &);

/// Calls a recogniser for every operation in the bodies of functions, in program order. Skips operations whose first
/// result is not a tensor (such as computations of sizes), operations in regions of other operations (they compute
/// scalars), and operations without uses, which `tidy` will remove. Returns whether the recogniser changed anything.
static bool tryAll(ModuleOp module, Recogniser recogniser, Recognition &recognition) {
  bool changed = false;
  for (auto function : module.getOps<FunctionOpInterface>())
    for (Block &block : function.getFunctionBody())
      for (Operation &op : block)
        if (!op.use_empty() && isa<RankedTensorType>(op.getResult(0).getType()) && succeeded(recogniser(&op, recognition)))
          changed = true;
  return changed;
}

/// Cleans up after a recogniser: removes dead and duplicate operations, combines reshapes of reshapes, moves
/// elementwise operations before broadcasts, and makes operations on weights, such as slices and transposes, part of
/// the weights' recipes.
static void tidy(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  for (StringRef name : {tensor::ExpandShapeOp::getOperationName(), tensor::CollapseShapeOp::getOperationName(),
                         WeightOp::getOperationName()})
    if (auto info = RegisteredOperationName::lookup(name, context))
      info->getCanonicalizationPatterns(patterns, context);
  populateSinkBroadcasts(patterns);
  (void)applyPatternsGreedily(module, std::move(patterns));
  IRRewriter rewriter(context);
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
}

/// Returns whether operations of this kind usually belong to layers. The report lists such an operation if it is not
/// part of a recognised layer.
static bool isTypicalOfLayers(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalg::isaContractionOpInterface(linalgOp);
  return isa<linalg::SoftmaxOp, math::ErfOp, math::RsqrtOp, math::SqrtOp, math::TanhOp>(op);
}

/// Returns the reason that the report gives for an operation that no recogniser has rejected explicitly.
static StringRef defaultReason(Operation *op) {
  if (isa<math::RsqrtOp, math::SqrtOp>(op))
    return "not the root of a norm over the last dimension";
  if (isa<math::ErfOp>(op))
    return "not GELU of a linear layer's result";
  if (isa<math::TanhOp>(op))
    return "neither activation of a linear layer nor softcap";
  return "matches the pattern of no layer";
}

/// Adds a layer to `counts`. The regions of an attention operation have entries of their own.
static void countLayer(Operation *op, llvm::MapVector<StringRef, unsigned> &counts) {
  ++counts[op->getName().stripDialect()];
  auto attention = dyn_cast<AttentionOp>(op);
  if (attention && attention.hasScore())
    ++counts["score region"];
  if (attention && attention.hasProbability())
    ++counts["probability region"];
}

/// Returns the name under which the report counts an operation that belongs to no layer. Returns "" for operations that
/// compute nothing, such as constants and reshapes.
static StringRef kindOf(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<WeightOp, tensor::EmptyOp, tensor::ExpandShapeOp,
                                                   tensor::CollapseShapeOp, linalg::FillOp, linalg::BroadcastOp>(op))
    return {};
  if (OpTrait::hasElementwiseMappableTraits(op))
    return "elementwise";
  if (isa<linalg::ReduceOp>(op))
    return "reduction";
  if (isa<linalg::TransposeOp, tensor::ExtractSliceOp, tensor::ConcatOp, tensor::PadOp>(op))
    return "transpose or slice";
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    bool lookup = !generic.getBody()->getOps<tensor::ExtractOp>().empty();
    return lookup ? "lookup" : "elementwise";
  }
  return op->getName().getStringRef();
}

void heddle::recognise(ModuleOp module, RecognitionReport *report) {
  Recognition recognition(module.getContext());
  const Recogniser phases[] = {recogniseLinearAttention, recogniseAttention,  recogniseLayerNorm,  recogniseRmsNorm,
                               recogniseLinear,          recogniseLinearBias, recogniseActivation, recogniseFfn};
  tidy(module);
  for (bool changed = true; changed;) {
    changed = false;
    recognition.reasons.clear();
    for (Recogniser phase : phases)
      while (tryAll(module, phase, recognition)) {
        changed = true;
        tidy(module);
      }
  }
  // The last iteration changed nothing, so `recognition.reasons` contains the reasons for the remaining operations.
  if (!report)
    return;
  module.walk([&](Operation *op) {
    if (isa<LayerOpInterface>(op))
      countLayer(op, report->recognised);
    else if (isa_and_nonnull<HeddleDialect>(op->getDialect()))
      return;
    else if (auto found = recognition.reasons.find(op); found != recognition.reasons.end())
      report->general.push_back({op->getName().getStringRef().str(), op->getLoc(), found->second});
    else if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    else if (isTypicalOfLayers(op))
      report->general.push_back({op->getName().getStringRef().str(), op->getLoc(), defaultReason(op).str()});
    else if (StringRef kind = kindOf(op); !kind.empty())
      ++report->other[kind];
  });
}

void RecognitionReport::print(llvm::raw_ostream &os) const {
  os << "recognised: ";
  llvm::interleaveComma(recognised, os, [&](const auto &entry) { os << entry.second << ' ' << entry.first; });
  os << (recognised.empty() ? "nothing\n" : "\n");
  llvm::MapVector<std::pair<StringRef, StringRef>, unsigned> counts;
  for (const General &entry : general)
    ++counts[{entry.op, entry.reason}];
  for (const auto &[what, count] : counts)
    os << "stayed general: " << count << ' ' << what.first << ": " << what.second << '\n';
  if (other.empty())
    return;
  os << "other operations: ";
  llvm::interleaveComma(other, os, [&](const auto &entry) { os << entry.second << ' ' << entry.first; });
  os << '\n';
}
