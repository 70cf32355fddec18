//===- InlineCalls.cpp - inlines all calls --------------------------------===//

#include "InlineCalls.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace heddle;

namespace {
/// Counts the operations of functions after all their calls are inlined.
class CallCounter {
public:
  /// The size of a function with everything that it calls.
  struct Size {
    uint64_t operations = 0; // after inlining; 0 while the function is being counted
    size_t depth = 0;        // the number of functions in the longest chain of calls, which begins with the function
  };
  /// Returns the size of `function`. Emits an error if the calls cannot be inlined. `above` is the number of functions
  /// in the chain of calls through which the module's main function reaches `function`.
  FailureOr<Size> count(func::FuncOp function, size_t above = 0);
  /// Whether `count` has counted `function`: either `function` was its argument, or its argument calls `function`,
  /// perhaps indirectly.
  bool isReached(func::FuncOp function) const { return sizes.contains(function); }

private:
  static constexpr uint64_t operationLimit = 1000000; // the maximum number of operations after inlining
  // The maximum number of functions in a chain of calls. `count` and MLIR's inliner recurse to this depth, so the limit
  // prevents an overflow of the stack.
  static constexpr size_t depthLimit = 1000;

  llvm::DenseMap<Operation *, Size> sizes;
};
} // namespace

FailureOr<CallCounter::Size> CallCounter::count(func::FuncOp function, size_t above) {
  if (function.isExternal())
    return function.emitError() << "the function has no body";
  auto [it, isNew] = sizes.try_emplace(function);
  if (!isNew && it->second.operations == 0)
    return function.emitError() << "the function calls itself";
  if (above + std::max<size_t>(it->second.depth, 1) > depthLimit)
    return function.emitError() << "a chain of calls has more than " << depthLimit << " functions";
  if (!isNew)
    return it->second;
  Size size = {1, 1};
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    ++size.operations;
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      return WalkResult::advance();
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee)
      return call.emitError() << "the file has no function '" << call.getCallee() << "'";
    FailureOr<Size> inside = count(callee, above + 1);
    if (failed(inside))
      return failure();
    size.operations = llvm::SaturatingAdd(size.operations, inside->operations);
    size.depth = std::max(size.depth, 1 + inside->depth);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (size.operations > operationLimit)
    return function.emitError() << "inlining all calls would yield more than " << operationLimit << " operations";
  sizes[function] = size;
  return size;
}

LogicalResult heddle::inlineCalls(func::FuncOp main) {
  CallCounter counter;
  if (failed(counter.count(main)))
    return failure();
  auto module = main->getParentOfType<ModuleOp>();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!counter.isReached(function)) // the inliner would also process functions that `main` does not call
      function.erase();
  if (!main.getBody().getOps<func::CallOp>().empty()) {
    PassManager manager(main.getContext(), ModuleOp::getOperationName());
    // No cleanup passes run after inlining, since the interpreter must compute exactly the operations of the file.
    manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(manager.run(module)))
      return failure();
  }
  WalkResult left = main.walk([](func::CallOp call) -> WalkResult {
    return call.emitError() << "the call of '" << call.getCallee() << "' cannot be inlined";
  });
  if (left.wasInterrupted())
    return failure();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function != main)
      function.erase();
  return success();
}
