//===- OutlineTasks.cpp - parallel loops to tasks -------------------------===//

#include "WorkEstimate.h"
#include "heddle/ForallIterations.h"
#include "heddle/Passes.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_OUTLINETASKS
#include "heddle/Passes.h.inc"
} // namespace heddle

// A loop with a fixed number of iterations runs on the calling thread if its estimated number of instructions is below
// this number. Another thread needs about 4 us to start a task and to report the end of the task, and such a loop takes
// less time.
static constexpr double minWork = 30000;

/// Returns whether the op returns the scratch memory of the first worker, which is the thread that calls the kernel.
/// Each memref.view of the arena in a kernel is scratch memory, since a kernel gets all other memory as arguments.
static bool isWorkerScratch(Operation *op) {
  auto view = dyn_cast_or_null<memref::ViewOp>(op);
  auto source = view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
  auto func = source ? dyn_cast<func::FuncOp>(source.getOwner()->getParentOp()) : func::FuncOp();
  return func && notes::arena.has(func, source.getArgNumber());
}

/// Returns the arguments whose memory the function reads and never writes. A task may repeat a read of such memory and
/// gets the same result.
static DenseSet<Value> findOnlyRead(func::FuncOp func) {
  DenseSet<Value> found;
  for (Value argument : func.getArguments()) {
    SmallVector<Value> todo = {argument};
    bool isOnlyRead = true;
    while (!todo.empty() && isOnlyRead) {
      Value value = todo.pop_back_val();
      for (Operation *user : value.getUsers())
        if (isa<ViewLikeOpInterface>(user))
          llvm::append_range(todo, user->getResults());
        else
          isOnlyRead &= hasSingleEffect<MemoryEffects::Read>(user, value);
    }
    if (isOnlyRead)
      found.insert(argument);
  }
  return found;
}

namespace {

/// Replaces one scf.forall by a heddle.dispatch of a task. The task is a function that computes one iteration of the
/// loop. Replaces a loop with one iteration or too little work (minWork) by a sequential loop instead, and removes a
/// loop without iterations. The bounds of the loop may depend on sizes of the call.
class TaskOutliner {
public:
  TaskOutliner(scf::ForallOp forall, func::FuncOp parent, unsigned number, unsigned vectorBits,
               const DenseSet<Value> &onlyRead)
      : forall(forall), parent(parent), number(number), vectorBits(vectorBits), onlyRead(onlyRead) {}

  LogicalResult run();

private:
  bool isCheap(Operation *op) const;
  LogicalResult findCaptures();
  void takeElements(Value vector);
  func::FuncOp makeTask();
  Value getInside(OpBuilder &builder, Value value);
  SmallVector<Value> makeInductionVariables(OpBuilder &builder, Value task);

  scf::ForallOp forall;
  func::FuncOp parent;
  unsigned number, vectorBits;     // the loop's number in `parent`, for the task's name; the width of a vector register
  const DenseSet<Value> &onlyRead; // the result of findOnlyRead for `parent`
  SmallVector<Extent> extents;     // the number of iterations in each dimension
  llvm::SetVector<Value> captures; // the values of `parent` that are passed to the task
  SmallVector<std::pair<Value, SmallVector<Value>>> vectors; // each captured vector, with its elements
  Value scratch;     // the first worker's scratch memory, or null if the loop uses none
  IRMapping mapping; // from values of `parent` to values of the task
};

} // namespace

/// Returns whether the op is cloned into the task. If so, its result need not be passed to the task. This is the case
/// for pure operations without regions, such as views, constants and index arithmetic, but not for the view of the
/// scratch memory. It is also the case for reads of vectors from memory that the function only reads.
bool TaskOutliner::isCheap(Operation *op) const {
  if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op)) {
    Value memory = read.getBase();
    while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
      memory = view.getViewSource();
    return onlyRead.contains(memory);
  }
  return op && op->getNumRegions() == 0 && isPure(op) && !isWorkerScratch(op);
}

/// Captures the elements of a vector, since a vector cannot be passed to a task. This is necessary if the operation
/// that computes the vector cannot be cloned into the task, such as a read from memory that the function also writes.
void TaskOutliner::takeElements(Value vector) {
  OpBuilder builder(forall);
  auto type = cast<VectorType>(vector.getType());
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  auto &[known, elements] = vectors.emplace_back(vector, SmallVector<Value>());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    elements.push_back(vector::ExtractOp::create(builder, forall.getLoc(), vector, delinearize(i, strides)));
    captures.insert(elements.back());
  }
}

/// Sets `captures`, `vectors` and `scratch`.
LogicalResult TaskOutliner::findCaptures() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  SmallVector<Value> todo(used.takeVector());
  OpBuilder builder(forall);
  // The task computes its induction variables from its index and all extents but the first.
  for (const Extent &extent : ArrayRef(extents).drop_front())
    if (!extent.isFixed())
      todo.push_back(extent.emitValue(builder, forall.getLoc()));
  DenseSet<Value> seen; // the vectors whose elements are already captured
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    if (isWorkerScratch(value.getDefiningOp()))
      scratch = value;
    else if (isCheap(value.getDefiningOp()))
      llvm::append_range(todo, value.getDefiningOp()->getOperands());
    else if (!isa<VectorType>(value.getType()))
      captures.insert(value);
    else if (seen.insert(value).second)
      takeElements(value);
  }
  // A task reads the sizes of the call from the arena.
  if (!Sizes(forall).empty())
    captures.insert(notes::arena.argumentOf(parent));
  for (Value capture : captures) {
    auto memref = dyn_cast<MemRefType>(capture.getType());
    if (memref ? !memref.hasStaticShape() || !memref.getLayout().isIdentity()
               : !capture.getType().isIntOrIndexOrFloat())
      return forall.emitError("cannot pass a value of type ") << capture.getType() << " to a task";
  }
  return success();
}

/// Returns the value inside the task that corresponds to `value`: an argument, or the result of a cloned operation.
Value TaskOutliner::getInside(OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  for (Value operand : value.getDefiningOp()->getOperands())
    getInside(builder, operand);
  builder.clone(*value.getDefiningOp(), mapping);
  return mapping.lookup(value);
}

/// Emits the loop's induction variables for the iteration with the index `task`.
SmallVector<Value> TaskOutliner::makeInductionVariables(OpBuilder &builder, Value task) {
  return emitInductionVariables(builder, forall, task, [&](unsigned i) -> Value {
    Value extent = extents[i].emitValue(builder, forall.getLoc());
    return extents[i].isFixed() ? extent : getInside(builder, extent);
  });
}

/// Creates the task. Its arguments are its index, the scratch memory of the worker that executes it (if the loop uses
/// scratch memory), and the captures.
func::FuncOp TaskOutliner::makeTask() {
  OpBuilder builder(parent);
  SmallVector<Type> types(1, builder.getIndexType());
  if (scratch)
    types.push_back(scratch.getType());
  for (Value capture : captures)
    types.push_back(capture.getType());
  auto task = func::FuncOp::create(builder, forall.getLoc(), (parent.getName() + "_task" + Twine(number)).str(),
                                   builder.getFunctionType(types, {}));
  task.setPrivate();

  builder.setInsertionPointToStart(task.addEntryBlock());
  ArrayRef<BlockArgument> args = task.getArguments();
  if (scratch)
    mapping.map(scratch, args[1]);
  for (auto [capture, arg] : llvm::zip(captures, args.take_back(captures.size())))
    mapping.map(capture, arg);
  for (auto [number, capture] : llvm::enumerate(captures))
    if (capture == notes::arena.argumentOf(parent))
      notes::arena.set(task, args.size() - captures.size() + number);
  for (auto &[vector, elements] : vectors) {
    SmallVector<Value> inside = llvm::map_to_vector(elements, [&](Value element) { return mapping.lookup(element); });
    mapping.map(vector, vector::FromElementsOp::create(builder, forall.getLoc(), vector.getType(), inside).getResult());
  }
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  for (Value value : used)
    getInside(builder, value);
  mapping.map(forall.getInductionVars(), makeInductionVariables(builder, args[0]));
  for (Operation &op : forall.getBody()->without_terminator())
    builder.clone(op, mapping);
  func::ReturnOp::create(builder, forall.getLoc());
  return task;
}

LogicalResult TaskOutliner::run() {
  FailureOr<ForallCount> counted = countIterations(forall);
  if (failed(counted))
    return failure();
  auto &[found, fixed, isFixed] = *counted;
  extents = found;
  IRRewriter rewriter(forall);
  if (fixed == 0) {
    rewriter.eraseOp(forall);
    return success();
  }
  if (isFixed && (fixed == 1 || fixed * estimateWork(*forall.getBody(), vectorBits) < minWork))
    return scf::forallToForLoop(rewriter, forall);

  BlockArgument arena = notes::arena.argumentOf(parent);
  if (!arena)
    return forall.emitError("the function of the loop has no arena: run stage plan first");
  if (failed(findCaptures()))
    return failure();
  func::FuncOp task = makeTask();
  Value tasks = arith::ConstantIndexOp::create(rewriter, forall.getLoc(), fixed);
  for (const Extent &extent : extents)
    if (!extent.isFixed())
      tasks = arith::MulIOp::create(rewriter, forall.getLoc(), tasks, extent.emitValue(rewriter, forall.getLoc()));
  DispatchOp::create(rewriter, forall.getLoc(), FlatSymbolRefAttr::get(task), tasks, arena, scratch,
                     captures.getArrayRef());
  rewriter.eraseOp(forall);
  return success();
}

namespace {
struct OutlineTasks : heddle::impl::OutlineTasksBase<OutlineTasks> {
  using OutlineTasksBase::OutlineTasksBase;
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForallOp> outer, inner;
      func.walk([&](scf::ForallOp forall) {
        (forall->getParentOfType<scf::ForallOp>() ? inner : outer).push_back(forall);
      });
      // A parallel loop within a task becomes a sequential loop on the task's thread.
      IRRewriter rewriter(&getContext());
      for (scf::ForallOp forall : inner) {
        rewriter.setInsertionPoint(forall);
        if (failed(scf::forallToForLoop(rewriter, forall)))
          return signalPassFailure();
      }
      DenseSet<Value> onlyRead = findOnlyRead(func);
      for (auto [number, forall] : llvm::enumerate(outer))
        if (failed(TaskOutliner(forall, func, number, vectorBits, onlyRead).run()))
          return signalPassFailure();
    }
  }
};
} // namespace
