//===- RefuseLowPrecision.cpp - refuses types that devices lack -----------===//

#include "heddle/Passes.h"

#include "Heddle.h"
#include "ops/TensorViews.h"

namespace heddle {
#define GEN_PASS_DEF_REFUSELOWPRECISION
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

/// Returns the name of a type as MLIR prints it.
static std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

namespace {
struct RefuseLowPrecision : heddle::impl::RefuseLowPrecisionBase<RefuseLowPrecision> {
  using RefuseLowPrecisionBase::RefuseLowPrecisionBase;

  std::string whyNoRounding(RowRoundingAttr rounding, LinearOp linear);
  std::string whyUnsupported(Operation *op);
  std::string findUnstored(Operation *op);
  void runOnOperation() override;
};
} // namespace

/// If the device has no code for the rounding of a linear layer's rows, returns what the layer does that is not
/// supported; else "".
std::string RefuseLowPrecision::whyNoRounding(RowRoundingAttr rounding, LinearOp linear) {
  std::string rows = nameOf(rounding.getElement());
  if (!llvm::is_contained(products, rows))
    return "rounds its rows to '" + rows + "', whose products";
  if (!rounding.getOutliers().empty() || linear.getOutlierChannels())
    return "does not round the outlier channels of its rows, which";
  if (std::string weight = nameOf(findExactElement(linear.getWeight())); weight != rows)
    return "multiplies rows of '" + rows + "' by a weight of '" + weight + "'; products of different types";
  return "";
}

/// Returns what the operation computes that the device has no code for, as the subject of "are not supported"; "" if
/// the device has code for it.
std::string RefuseLowPrecision::whyUnsupported(Operation *op) {
  if (auto dequantize = dyn_cast<DequantizeOp>(op); dequantize && !dequantize.isPlain())
    return "reads elements of '" + nameOf(getElementTypeOrSelf(dequantize.getInput())) + "' with scales, which";
  if (auto linear = dyn_cast<LinearOp>(op); linear && linear.getRounding())
    if (std::string reason = whyNoRounding(*linear.getRounding(), linear); !reason.empty())
      return reason;
  if (auto attention = dyn_cast<AttentionOp>(op);
      attention && attention.getRounding() &&
      !llvm::is_contained(attentionProducts, nameOf(*attention.getRounding())))
    return "rounds its operands to '" + nameOf(*attention.getRounding()) + "'; products of rounded queries and keys";
  return "";
}

/// Returns the name of a type of operands or results that the device cannot store; "" if there is none.
std::string RefuseLowPrecision::findUnstored(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (element && !elements.empty() && !llvm::is_contained(elements, nameOf(element)))
      return nameOf(element);
  }
  return "";
}

void RefuseLowPrecision::runOnOperation() {
  WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
    // Check what an operation computes before the types of its operands: an error about these would be less specific.
    if (std::string reason = whyUnsupported(op); !reason.empty())
      return op->emitOpError(reason) << " are not supported on this device";
    if (std::string type = findUnstored(op); !type.empty())
      return op->emitError("elements of type '") << type << "' are not supported on this device";
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
