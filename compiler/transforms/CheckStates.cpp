//===- CheckStates.cpp - checks and annotates states ----------------------===//
//
// The pass heddle-check-states verifies the states of a model: tensors that calls keep in the caller's memory. The pass
// stores the sizes that all states share, and which states each call replaces, in annotations, because later passes
// lower the operations from which these facts are computed.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Notes.h"
#include "States.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_CHECKSTATES
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct CheckStates : heddle::impl::CheckStatesBase<CheckStates> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal() || !main.getBody().hasOneBlock())
      return;
    FailureOr<States> states = readStates(main);
    if (failed(states))
      return signalPassFailure();
    if (states->empty())
      return;
    notes::stateSizes.set(getOperation(), states->sizes);
    for (const State &state : states->all)
      if (state.isReplaced)
        notes::stateReplaced.set(main, state.argument);
  }
};
} // namespace
