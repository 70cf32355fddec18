//===- PlanMemory.cpp - every buffer gets its place in one arena ----------===//
//
// The arena, from its start: the frame (what a call notes for its tasks), the
// inputs and outputs that the caller may leave out, the buffers of @main and of
// the kernels it calls, and last the scratch of one worker. Further workers'
// scratch follows behind it.
//
//===----------------------------------------------------------------------===//

#include "ArenaPacking.h"
#include "heddle/ArenaLayout.h"
#include "heddle/Passes.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_PLANMEMORY
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Bytes of `alloc` at its largest.
static FailureOr<int64_t> getSize(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  int64_t size = element.isIndex()        ? 8
                 : element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                                          : 0;
  if (size == 0 || !type.getLayout().isIdentity())
    return alloc.emitError("cannot plan memory for a buffer of type ") << type;
  Sizes sizes(alloc);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t extent = type.getDimSize(i);
    if (!type.isDynamicDim(i) && !sizes.of(extent).isFixed())
      return alloc.emitError("cannot plan memory for a buffer whose size lies in a range: ") << type;
    if (type.isDynamicDim(i)) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, {alloc.getResult(), i}, /*stopCondition=*/nullptr, /*closedUB=*/true);
      if (failed(bound))
        return alloc.emitError("cannot plan memory: no upper bound is known for dimension ") << i;
      extent = *bound;
    }
    // No more than an address space holds: then no sum of sizes overflows.
    constexpr int64_t limit = int64_t(1) << 47;
    if (llvm::MulOverflow(size, extent, size) || size > limit)
      return alloc.emitError("cannot plan memory for a buffer of type ") << type << ": it is too large";
  }
  return std::max<int64_t>(size, 1);
}

namespace {

/// The order in which operations run: each takes the interval from its start to
/// the end of what is nested in it.
struct Timeline {
  explicit Timeline(Operation *root) { number(root); }
  void number(Operation *op) {
    first[op] = clock++;
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        number(&nested);
    last[op] = clock++;
  }
  DenseMap<Operation *, int64_t> first, last;
  int64_t clock = 0;
};

/// Packs buffers of one scope (a function or the body of a parallel loop).
struct Scope {
  SmallVector<memref::AllocOp> allocs;
  SmallVector<PackedBuffer> buffers; // those of allocs, then those of calls
  int64_t size = 0;

  LogicalResult addAlloc(memref::AllocOp alloc, const Timeline &timeline);
};

} // namespace

LogicalResult Scope::addAlloc(memref::AllocOp alloc, const Timeline &timeline) {
  FailureOr<int64_t> bytes = getSize(alloc);
  if (failed(bytes))
    return failure();
  PackedBuffer buffer{*bytes, timeline.first.lookup(alloc), timeline.last.lookup(alloc)};
  SmallVector<Value> aliases(1, alloc.getResult());
  DenseSet<Value> seen;
  while (!aliases.empty()) {
    Value alias = aliases.pop_back_val();
    if (!seen.insert(alias).second)
      continue;
    for (Operation *user : alias.getUsers()) {
      Operation *ancestor = alias.getParentBlock()->findAncestorOpInBlock(*user);
      buffer.last = std::max(buffer.last, timeline.last.lookup(ancestor));
      if (isa<func::ReturnOp>(user))
        return alloc.emitError("a buffer is returned from its function");
      bool yielded = user->hasTrait<OpTrait::IsTerminator>();
      Operation *parent = user->getParentOp();
      if (yielded && isa<LoopLikeOpInterface>(parent) && parent->isProperAncestor(alloc))
        return alloc.emitError("a buffer outlives the loop iteration that makes it");
      for (Value result : yielded ? parent->getResults() : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          aliases.push_back(result);
    }
  }
  allocs.push_back(alloc);
  buffers.push_back(buffer);
  return success();
}

/// `size` bytes of `base` from `offset` on.
static Value makeView(OpBuilder &builder, Location loc, Value base, int64_t offset, MemRefType type,
                      ValueRange sizes = {}) {
  Value start = arith::ConstantIndexOp::create(builder, loc, offset);
  return memref::ViewOp::create(builder, loc, type, base, start, sizes);
}

static MemRefType getBytes(MLIRContext *context, int64_t size) {
  return MemRefType::get({size}, IntegerType::get(context, 8));
}

static void replaceAllocs(Scope &scope, Value base) {
  for (auto [alloc, buffer] : llvm::zip(scope.allocs, scope.buffers)) {
    OpBuilder builder(alloc);
    Value view =
        makeView(builder, alloc.getLoc(), base, buffer.offset, alloc.getType(), alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc->erase();
  }
}

namespace {

/// What a kernel needs: scratch of its own while it runs, scratch per worker in
/// its parallel loops.
struct KernelPlan {
  Scope shared;
  SmallVector<Scope> workers;
  bool parallel = false; // gets the arena
  int64_t workerSize = 0;
};

struct PlanMemory : heddle::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override;

private:
  FailureOr<KernelPlan> plan(func::FuncOp func);
  FailureOr<Scope> planMain(func::FuncOp main);
  void rewriteKernel(func::FuncOp func, KernelPlan &plan);
  void rewriteMain(func::FuncOp main, Scope &scope);
  int64_t placeOptional(func::FuncOp main);

  llvm::MapVector<Operation *, KernelPlan> kernels;
  SmallVector<func::CallOp> calls; // of main, to kernels with scratch
  int64_t sharedSize = 0, workerSize = 0;
};

} // namespace

static scf::ForallOp getOutermostForall(Operation *op) {
  scf::ForallOp outermost;
  for (; op; op = op->getParentOp())
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      outermost = forall;
  return outermost;
}

FailureOr<KernelPlan> PlanMemory::plan(func::FuncOp func) {
  KernelPlan plan;
  plan.parallel = !Sizes(func).empty();
  Timeline timeline(func);
  llvm::MapVector<Operation *, Scope> workers;
  WalkResult result = func.walk([&](Operation *op) {
    if (isa<memref::DeallocOp>(op)) {
      op->erase();
      return WalkResult::advance();
    }
    if (isa<scf::ForallOp>(op))
      plan.parallel = true;
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    scf::ForallOp forall = getOutermostForall(alloc);
    return WalkResult((forall ? workers[forall] : plan.shared).addAlloc(alloc, timeline));
  });
  if (result.wasInterrupted())
    return failure();
  plan.shared.size = packBuffers(plan.shared.buffers);
  for (auto &[forall, scope] : workers) {
    scope.size = packBuffers(scope.buffers);
    plan.workerSize = std::max(plan.workerSize, scope.size);
    plan.workers.push_back(std::move(scope));
  }
  return plan;
}

/// Inputs and outputs that may be null get a place in the arena. The only output of a
/// model is what one calls it for: it may not.
int64_t PlanMemory::placeOptional(func::FuncOp main) {
  Sizes sizes(main);
  int64_t offset = arenaFrameSize(sizes.all().size());
  bool optionalOutputs = llvm::count_if(main.getArguments(), [&](BlockArgument arg) {
                           return notes::result.has(main, arg.getArgNumber());
                         }) > 1;
  for (BlockArgument arg : main.getArguments()) {
    unsigned i = arg.getArgNumber();
    if (!notes::defaultValue.has(main, i) && !(optionalOutputs && notes::result.has(main, i)))
      continue;
    auto type = cast<MemRefType>(arg.getType());
    notes::arenaOffset.set(main, i, offset);
    int64_t size = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    offset = llvm::alignTo(offset + size, bufferAlignment);
  }
  return offset;
}

FailureOr<Scope> PlanMemory::planMain(func::FuncOp main) {
  Scope scope;
  Timeline timeline(main);
  WalkResult result =
      main.walk([&](memref::AllocOp alloc) { return WalkResult(scope.addAlloc(alloc, timeline)); });
  if (result.wasInterrupted())
    return failure();
  main.walk([&](func::CallOp call) {
    auto it = kernels.find(SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    if (it == kernels.end())
      return;
    calls.push_back(call);
    int64_t time = timeline.first.lookup(call);
    if (int64_t size = it->second.shared.size)
      scope.buffers.push_back({size, time, time});
  });
  scope.size = packBuffers(scope.buffers);
  return scope;
}

/// A last argument of so many bytes.
static Value addArgument(func::FuncOp func, int64_t size, const ArgNote<Mark> &note) {
  unsigned i = func.getNumArguments();
  (void)func.insertArgument(i, getBytes(func.getContext(), size), {}, func.getLoc());
  note.set(func, i);
  return func.getArgument(i);
}

void PlanMemory::rewriteKernel(func::FuncOp func, KernelPlan &plan) {
  if (plan.shared.size)
    replaceAllocs(plan.shared, addArgument(func, plan.shared.size, notes::scratch));
  if (!plan.parallel)
    return;
  Value arena = addArgument(func, sharedSize + workerSize, notes::arena); // and what sizes are in this call
  if (!plan.workerSize)
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
  Value scratch = makeView(builder, func.getLoc(), arena, sharedSize, getBytes(func.getContext(), workerSize));
  for (Scope &scope : plan.workers)
    replaceAllocs(scope, scratch);
}

void PlanMemory::rewriteMain(func::FuncOp main, Scope &scope) {
  Value arena = addArgument(main, sharedSize + workerSize, notes::arena);
  replaceAllocs(scope, arena);
  ArrayRef<PackedBuffer> scratch = ArrayRef(scope.buffers).drop_front(scope.allocs.size());
  for (func::CallOp call : calls) {
    KernelPlan &plan = kernels[SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())];
    OpBuilder builder(call);
    SmallVector<Value> operands = llvm::to_vector(call.getOperands());
    if (plan.shared.size) {
      operands.push_back(makeView(builder, call.getLoc(), arena, scratch.front().offset,
                                  getBytes(main.getContext(), plan.shared.size)));
      scratch = scratch.drop_front();
    }
    if (plan.parallel)
      operands.push_back(arena);
    call->setOperands(operands);
  }
}

/// Results of @main are its destinations: nothing is left to return.
static LogicalResult dropResults(func::FuncOp main) {
  auto terminator = cast<func::ReturnOp>(main.front().getTerminator());
  for (Value value : terminator.getOperands()) {
    auto arg = dyn_cast<BlockArgument>(value);
    if (!arg || !notes::result.has(main, arg.getArgNumber()))
      return main.emitError("a result was not written to its destination");
  }
  terminator->setOperands({});
  return main.eraseResults(BitVector(main.getNumResults(), true));
}

void PlanMemory::runOnOperation() {
  ModuleOp module = getOperation();
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
    FailureOr<KernelPlan> found = plan(func);
    if (failed(found))
      return signalPassFailure();
    workerSize = std::max(workerSize, found->workerSize);
    kernels[func] = std::move(*found);
  }
  FailureOr<Scope> scope = planMain(main);
  if (failed(scope))
    return signalPassFailure();
  int64_t start = placeOptional(main);
  for (PackedBuffer &buffer : scope->buffers)
    buffer.offset += start;
  sharedSize = start + scope->size;

  for (auto &[func, plan] : kernels)
    rewriteKernel(cast<func::FuncOp>(func), plan);
  rewriteMain(main, *scope);
  notes::arenaSize.set(module, sharedSize);
  notes::workerSize.set(module, workerSize);
}
