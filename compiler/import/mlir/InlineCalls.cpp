//===- InlineCalls.cpp - inlines all calls --------------------------------===//

#include "InlineCalls.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Counts the operations of a function after all its calls are inlined.
class CallCounter {
public:
  /// Returns the number of operations of `function` after inlining. Emits an error if the calls cannot be inlined.
  /// `depth` is the number of nested calls by which the module's main function reaches `function`.
  FailureOr<uint64_t> count(func::FuncOp function, size_t depth = 0);
  /// Whether `count` has counted `function`, because it was an argument or is called directly or indirectly.
  bool isReached(func::FuncOp function) const { return counts.contains(function); }

private:
  static constexpr uint64_t operationLimit = 1000000; // the maximum number of operations after inlining
  // The maximum number of functions in a chain of calls. `count` and MLIR's inliner recurse to this depth, so the limit
  // prevents an overflow of the stack.
  static constexpr size_t depthLimit = 1000;

  llvm::DenseMap<Operation *, uint64_t> counts; // the number for each function; 0 while the function is being counted
};
} // namespace

FailureOr<uint64_t> CallCounter::count(func::FuncOp function, size_t depth) {
  if (function.isExternal())
    return function.emitError() << "the function has no body";
  auto [it, isNew] = counts.try_emplace(function, 0);
  if (!isNew && it->second == 0)
    return function.emitError() << "the function calls itself";
  if (!isNew)
    return it->second;
  if (depth == depthLimit)
    return function.emitError() << "calls are nested more than " << depthLimit << " deep";
  uint64_t operations = 1;
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    ++operations;
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      return WalkResult::advance();
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee)
      return call.emitError() << "the file has no function '" << call.getCallee() << "'";
    FailureOr<uint64_t> inside = count(callee, depth + 1);
    if (failed(inside))
      return failure();
    operations = llvm::SaturatingAdd(operations, *inside);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (operations > operationLimit)
    return function.emitError() << "inlining all calls would yield more than " << operationLimit << " operations";
  counts[function] = operations;
  return operations;
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
