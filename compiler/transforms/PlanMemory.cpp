//===- PlanMemory.cpp - assigns buffers offsets in the arena --------------===//
//
// The arena contains, from its start: the call header, which tasks read; memory of fixed size for each input and output
// whose pointer may be null (in a call with a null pointer, this memory replaces the tensor); the buffers of @main and
// of the kernels that it calls, and such memory for inputs and outputs whose sizes lie in ranges; the scratch memory of
// one worker (a thread of the executor). The scratch memory of further workers follows. The buffers of @main and of
// kernels form groups: one group of the buffers of fixed size and, for each product of sizes in ranges, one group of
// the buffers whose numbers of bytes are multiples of this product. The offsets of groups are computed from the sizes
// in each call. On a device, all offsets are fixed, and each buffer has its largest size.
//
//===----------------------------------------------------------------------===//

#include "ArenaScope.h"
#include "heddle/ArenaLayout.h"
#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_PLANMEMORY
#include "heddle/Passes.h.inc"
} // namespace heddle

static MemRefType getBytes(MLIRContext *context, int64_t size) {
  return MemRefType::get({size}, IntegerType::get(context, 8));
}

/// Returns the number of bytes that appears in types, where placeholders (numbers) represent sizes that lie in ranges.
static int64_t countBytes(const ArenaBytes &bytes) {
  int64_t count = bytes.fixed;
  for (auto [each, product] : bytes.products)
    count += each * product;
  return count;
}

/// Replaces each allocation of `scope` by a view. `placeOf` returns the buffer that contains the view, and the view's
/// offset in this buffer.
static void replaceAllocs(ArenaScope &scope, const Sizes &sizes,
                          function_ref<std::pair<Value, ArenaBytes>(ArenaScope::Place)> placeOf) {
  for (auto [alloc, place] : scope.allocs) {
    OpBuilder builder(alloc);
    auto [base, offset] = placeOf(place);
    Value start = emitBytes(builder, alloc.getLoc(), offset, sizes);
    Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), base, start, alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc->erase();
  }
}

namespace {

/// The memory that a kernel needs: scratch memory while it runs, and scratch memory for each worker in its parallel
/// loops.
struct KernelPlan {
  ArenaScope shared;               // buffers outside of parallel loops
  SmallVector<ArenaScope> workers; // buffers in each outermost parallel loop
  bool hasArena = false;           // whether the kernel has the arena as an argument
  int64_t workerSize = 0;          // the size in bytes of the largest scope in `workers`
};

struct PlanMemory : heddle::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;
  void runOnOperation() override;

private:
  FailureOr<KernelPlan> plan(func::FuncOp func, const Sizes &sizes);
  LogicalResult planMain(func::FuncOp main, const Sizes &sizes);
  LogicalResult addOptional(func::FuncOp main, const Sizes &sizes);
  void placeOptional(func::FuncOp main);
  void rewriteKernel(func::FuncOp func, KernelPlan &plan, const Sizes &sizes);
  void rewriteMain(func::FuncOp main, const Sizes &sizes);

  llvm::MapVector<Operation *, KernelPlan> kernels;
  ArenaScope scope; // the buffers of @main and the scratch memory of the kernels that it calls
  /// The calls of kernels in @main. A kernel's buffers are grouped by the product of sizes on which they depend; each
  /// call has one position in `scope` for each group.
  SmallVector<std::pair<func::CallOp, SmallVector<ArenaScope::Place>>> calls;
  /// The indices of the inputs and outputs whose pointers may be null and whose numbers of bytes depend on sizes in
  /// ranges, with their positions in `scope`.
  SmallVector<std::pair<unsigned, ArenaScope::Place>> optional;
  ArenaBytes start;       // the offset in the arena at which `scope` begins
  ArenaBytes sharedSize;  // the size of the arena without the workers' scratch memory
  int64_t workerSize = 0; // the size of each worker's scratch memory in bytes
};

} // namespace

static scf::ForallOp getOutermostForall(Operation *op) {
  scf::ForallOp outermost;
  for (; op; op = op->getParentOp())
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      outermost = forall;
  return outermost;
}

/// Checks that the memory of a workgroup has the same size in all calls.
static LogicalResult checkWorkgroup(scf::ForallOp forall, memref::AllocOp alloc, const Sizes &sizes) {
  if (llvm::all_of(alloc.getType().getShape(),
                   [&](int64_t extent) { return !ShapedType::isDynamic(extent) && sizes.of(extent).isFixed(); }))
    return success();
  return forall->emitError("a task needs a buffer of a size that is not fixed, which is not supported");
}

/// Assigns positions to all buffers of a kernel, and removes its deallocations. With the option `workgroups`, only
/// checks the buffers in parallel loops, which lie in the memory of a workgroup instead of the arena.
FailureOr<KernelPlan> PlanMemory::plan(func::FuncOp func, const Sizes &sizes) {
  KernelPlan plan;
  plan.hasArena = !sizes.empty();
  Timeline timeline(func);
  llvm::MapVector<Operation *, ArenaScope> workers;
  WalkResult result = func.walk([&](Operation *op) {
    if (isa<memref::DeallocOp>(op)) {
      op->erase();
      return WalkResult::advance();
    }
    if (isa<scf::ForallOp>(op))
      plan.hasArena = true;
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    scf::ForallOp forall = getOutermostForall(alloc);
    if (forall && workgroups)
      return WalkResult(checkWorkgroup(forall, alloc, sizes));
    return WalkResult((forall ? workers[forall] : plan.shared).addAlloc(alloc, timeline, sizes, workgroups));
  });
  if (result.wasInterrupted())
    return failure();
  plan.shared.pack(alignment);
  for (auto &[forall, scope] : workers) {
    if (!scope.isFixed())
      return forall->emitError("a task needs a buffer of a size that is not fixed, which is not supported");
    scope.pack();
    plan.workerSize = std::max(plan.workerSize, scope.size().fixed);
    plan.workers.push_back(std::move(scope));
  }
  return plan;
}

/// Assigns positions in the arena to inputs and outputs that may be null, and to the index check. The index check
/// (notes::indexCheck) is an output that callers do not see; it is nonzero after a call in which an index was out of
/// bounds. The position lies before `scope` if the size of the argument is fixed, else in `scope`. If a model has only
/// one output, its pointer must not be null, since a call would then have no result.
LogicalResult PlanMemory::addOptional(func::FuncOp main, const Sizes &sizes) {
  start.fixed = llvm::alignTo(callHeaderSize(sizes.count()), alignment);
  auto isCheck = [&](unsigned i) { return notes::indexCheck.has(main, i); };
  auto isOutput = [&](unsigned i) { return notes::result.has(main, i) && !isCheck(i); };
  bool optionalOutputs = llvm::count_if(main.getArguments(), [&](BlockArgument arg) {
                           return isOutput(arg.getArgNumber());
                         }) > 1;
  for (BlockArgument arg : main.getArguments()) {
    unsigned i = arg.getArgNumber();
    if (!notes::defaultValue.has(main, i) && !notes::statePast.has(main, i) && !isCheck(i) && !(optionalOutputs && isOutput(i)))
      continue;
    FailureOr<BufferBytes> bytes = bytesOf(main, cast<MemRefType>(arg.getType()), sizes);
    if (failed(bytes))
      return failure();
    if (workgroups)
      bytes = bytes->maximum(sizes);
    if (bytes->product == 1) {
      notes::arenaOffset.set(main, i, start);
      start.fixed = llvm::alignTo(start.fixed + bytes->each, alignment);
    } else {
      optional.push_back({i, scope.add(*bytes, INT64_MIN, INT64_MAX)}); // live during the whole call
    }
  }
  return success();
}

/// Annotates the arguments in `optional` with their offsets in the arena.
void PlanMemory::placeOptional(func::FuncOp main) {
  for (auto [i, place] : optional) {
    ArenaBytes offset = start;
    notes::arenaOffset.set(main, i, offset += scope.offsetOf(place));
  }
}

/// Assigns positions to the buffers of @main, to the arguments that may be null (addOptional), and to the scratch
/// memory of each call of a kernel. Scratch memory is live only during this call.
LogicalResult PlanMemory::planMain(func::FuncOp main, const Sizes &sizes) {
  Timeline timeline(main);
  WalkResult result =
      main.walk([&](memref::AllocOp alloc) { return WalkResult(scope.addAlloc(alloc, timeline, sizes, workgroups)); });
  if (result.wasInterrupted() || failed(addOptional(main, sizes)))
    return failure();
  main.walk([&](func::CallOp call) {
    auto it = kernels.find(SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    if (it == kernels.end())
      return;
    int64_t time = timeline.first.lookup(call);
    SmallVector<ArenaScope::Place> places;
    for (auto &[product, group] : it->second.shared.groups) {
      places.push_back(scope.add({group.size, product}, time, time, 1 + group.allLines));
    }
    calls.push_back({call, std::move(places)});
  });
  scope.pack(alignment);
  return success();
}

/// Adds a last argument of `size` bytes with the annotation `note`.
static Value addArgument(func::FuncOp func, int64_t size, const ArgNote<Mark> &note) {
  unsigned i = func.getNumArguments();
  (void)func.insertArgument(i, getBytes(func.getContext(), size), {}, func.getLoc());
  note.set(func, i);
  return func.getArgument(i);
}

void PlanMemory::rewriteKernel(func::FuncOp func, KernelPlan &plan, const Sizes &sizes) {
  llvm::DenseMap<int64_t, Value> scratch;
  for (auto &[product, group] : plan.shared.groups)
    scratch[product] = addArgument(func, countBytes(plan.shared.sizeOf(product)), notes::scratch);
  replaceAllocs(plan.shared, sizes, [&](ArenaScope::Place place) {
    return std::pair(scratch[place.product], plan.shared.offsetInGroup(place));
  });
  if (!plan.hasArena)
    return;
  Value arena = addArgument(func, countBytes(sharedSize) + workerSize, notes::arena);
  if (!plan.workerSize)
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
  Value first = emitBytes(builder, func.getLoc(), sharedSize, sizes);
  Value worker = memref::ViewOp::create(builder, func.getLoc(), getBytes(func.getContext(), plan.workerSize), arena,
                                        first, ValueRange());
  for (ArenaScope &scope : plan.workers)
    replaceAllocs(scope, sizes, [&](ArenaScope::Place place) { return std::pair(worker, scope.offsetOf(place)); });
}

void PlanMemory::rewriteMain(func::FuncOp main, const Sizes &sizes) {
  Value arena = addArgument(main, countBytes(sharedSize) + workerSize, notes::arena);
  auto placeOf = [&](ArenaScope::Place place) {
    ArenaBytes offset = start;
    return std::pair(arena, offset += scope.offsetOf(place));
  };
  replaceAllocs(scope, sizes, placeOf);
  for (auto &[call, places] : calls) {
    KernelPlan &plan = kernels[SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())];
    OpBuilder builder(call);
    SmallVector<Value> operands = llvm::to_vector(call.getOperands());
    for (ArenaScope::Place place : places) {
      Value begin = emitBytes(builder, call.getLoc(), placeOf(place).second, sizes);
      MemRefType type = getBytes(main.getContext(), countBytes(plan.shared.sizeOf(place.product)));
      operands.push_back(memref::ViewOp::create(builder, call.getLoc(), type, arena, begin, ValueRange()));
    }
    if (plan.hasArena)
      operands.push_back(arena);
    call->setOperands(operands);
  }
}

/// Removes the results of @main. Emits an error and fails if a result is not in its destination.
static LogicalResult dropResults(func::FuncOp main) {
  auto terminator = cast<func::ReturnOp>(main.front().getTerminator());
  for (Value value : terminator.getOperands()) {
    auto arg = dyn_cast<BlockArgument>(value);
    if (!arg || (!notes::result.has(main, arg.getArgNumber()) && !notes::state.has(main, arg.getArgNumber())))
      return main.emitError("a result of @main was not written to its destination buffer");
  }
  terminator->setOperands({});
  return main.eraseResults(BitVector(main.getNumResults(), true));
}

void PlanMemory::runOnOperation() {
  ModuleOp module = getOperation();
  Sizes sizes(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal()) {
    module.emitError("expected a function @main");
    return signalPassFailure();
  }
  if (failed(dropResults(main)))
    return signalPassFailure();
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func == main || func.isExternal())
      continue;
    FailureOr<KernelPlan> found = plan(func, sizes);
    if (failed(found))
      return signalPassFailure();
    workerSize = std::max(workerSize, found->workerSize);
    kernels[func] = std::move(*found);
  }
  if (failed(planMain(main, sizes)))
    return signalPassFailure();
  placeOptional(main);
  sharedSize = start;
  sharedSize += scope.size();

  for (auto &[func, plan] : kernels)
    rewriteKernel(cast<func::FuncOp>(func), plan, sizes);
  rewriteMain(main, sizes);
  notes::arenaSize.set(module, sharedSize);
  notes::workerSize.set(module, workerSize);
}
