//===- RefuseLowPrecision.cpp - refuses types that devices lack -----------===//

#include "heddle/Passes.h"

#include "Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_REFUSELOWPRECISION
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct RefuseLowPrecision : heddle::impl::RefuseLowPrecisionBase<RefuseLowPrecision> {
  using RefuseLowPrecisionBase::RefuseLowPrecisionBase;

  /// Returns whether the device supports elements of this type. An empty option `elements` means that it supports all.
  bool isSupported(FloatType type) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return elements.empty() || llvm::is_contained(elements, name);
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
      // Check operations of low precision before types. Their operands may have the type bf16, and the error about this
      // type would be less specific.
      auto dequantize = dyn_cast<DequantizeOp>(op);
      auto linear = dyn_cast<LinearOp>(op);
      auto attention = dyn_cast<AttentionOp>(op);
      if ((dequantize && !dequantize.isPlain()) || (linear && linear.getRounding()) ||
          (attention && attention.getRounding()))
        return op->emitOpError("computes in low precision, with quantised weights or rounded rows, which is "
                               "supported only on CPUs, not on devices yet");
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
        if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)); element && !isSupported(element))
          return op->emitError("elements of type ") << element << " are supported only on CPUs, not on devices yet";
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
