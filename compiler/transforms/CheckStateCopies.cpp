//===- CheckStateCopies.cpp - refuses copies of states --------------------===//
//
// The pass heddle-check-state-copies runs after bufferization. Bufferization copies a state if an operation reads the
// old state after its update. Such a copy would make each call slower as the state grows, so the model is refused.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_CHECKSTATECOPIES
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns an operation that copies from or to `value`, which is a state or a view of one, or a call of a kernel that
/// contains such a copy; null if there is none. Copies of new rows into the state are allowed. If each call replaces
/// the state (`isReplaced`), copies that overwrite the whole state are allowed, too, and so are copies from a part of
/// the state, because tasks that compute the next state copy parts to their buffers.
static Operation *findCopy(Value value, bool isReplaced) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      bool isFrom = copy.getSource() == value, isAll = isa<BlockArgument>(value);
      if (isReplaced ? isFrom && isAll : isFrom || isAll)
        return copy;
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      if (Operation *found = findCopy(op->getResult(0), isReplaced))
        return found;
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (kernel && !kernel.isExternal() && findCopy(kernel.getArgument(use.getOperandNumber()), isReplaced))
        return call; // the error is reported at the call, since several calls may share the kernel
    }
  }
  return nullptr;
}

namespace {
struct CheckStateCopies : heddle::impl::CheckStateCopiesBase<CheckStateCopies> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    for (unsigned i = 0, e = main ? main.getNumArguments() : 0; i < e; ++i) {
      std::optional<StringRef> name = notes::state.get(main, i);
      if (!name || main.isExternal())
        continue;
      if (Operation *copy = findCopy(main.getArgument(i), notes::stateReplaced.has(main, i))) {
        copy->emitError() << "state \"" << *name << "\" would be copied: the model needs the old state after the "
                          << "update, or returns the state without updating it in place";
        signalPassFailure();
      }
    }
  }
};
} // namespace
