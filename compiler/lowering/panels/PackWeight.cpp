//===- PackWeight.cpp - transform.heddle.pack_weight ----------------------===//
//
// The step that packs a weight is appended to the weight's recipe. The weight
// is therefore packed when the library is written, not when the library is
// called.
//
//===----------------------------------------------------------------------===//

#include "CallerWeights.h"
#include "TransformOps.h"

using namespace mlir;
using namespace heddle;

DiagnosedSilenceableFailure transforms::PackWeightOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                 Operation *target,
                                                                 transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("expects heddle.linear as target, found ") << target->getName();
  FailureOr<int64_t> panel = getInteger(state, getPanel());
  if (failed(panel) || *panel <= 0)
    return emitDefiniteFailure("expects a positive integer as panel");
  int64_t interleaved = 1;
  if (!getShared().empty()) {
    if (getShared().size() != 2)
      return emitDefiniteFailure("expects two numbers as shared: the number of interleaved panels, and the number of "
                                 "columns of a panel");
    FailureOr<int64_t> number = getInteger(state, getShared()[0]), width = getInteger(state, getShared()[1]);
    if (failed(number) || *number < 0 || failed(width) || *width <= 0)
      return emitDefiniteFailure(
          "expects as shared: a number of panels that is not negative, and a positive number of columns");
    if (*number) {
      interleaved = *number;
      panel = width;
    }
  }
  Value stored = storedValue(linear.getWeight());
  auto argument = dyn_cast<BlockArgument>(stored);
  auto func = linear->getParentOfType<func::FuncOp>();
  auto type = cast<RankedTensorType>(stored.getType());
  if (!argument || argument.getOwner() != &func.front() || !argument.hasOneUse() ||
      !linear.getWeight().hasOneUse() || type.getRank() != 2 || !type.hasStaticShape())
    return DiagnosedSilenceableFailure::success();
  if (failed(findCallerWeights(argument)))
    return DiagnosedSilenceableFailure::success();

  auto step = PackStepAttr::get(getContext(), *panel, interleaved, /*depth=*/1);
  RankedTensorType packed =
      RankedTensorType::get(step.packedShape(type.getDimSize(0), type.getDimSize(1)), type.getElementType());
  extendCallerWeights(rewriter, argument, packed, [&](func::CallOp) { return step; });
  if (stored != linear.getWeight())
    rewriter.modifyOpInPlace(linear, [&] {
      linear.getWeight().setType(packed.clone(getElementTypeOrSelf(linear.getWeight())));
    });
  return DiagnosedSilenceableFailure::success();
}
