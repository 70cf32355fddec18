//===- RefuseNarrowFloats.cpp - what devices do not store yet -------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_REFUSENARROWFLOATS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace mlir;

namespace {
struct RefuseNarrowFloats : heddle::impl::RefuseNarrowFloatsBase<RefuseNarrowFloats> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
        if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)); element && element.getWidth() < 32)
          return op->emitError("elements of type ") << element << " are for CPUs, not for devices yet";
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
