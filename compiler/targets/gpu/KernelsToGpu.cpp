//===- KernelsToGpu.cpp - kernels to the gpu dialect ----------------------===//
//
// The kernels of heddle.launch become functions of one gpu.module, and launches
// become gpu.launch_func. A launch with more than 65535 workgroups numbers them
// in two dimensions, since many devices allow at most 65535 in one dimension.
//
// In a kernel, an scf.forall is a loop over threads: its iterations are
// distributed over the threads of the workgroup. All threads execute the code
// outside of these loops, except the stores in this code. One thread executes
// these stores; if they store sums of sub-groups (SubgroupSums.h), one thread
// of each sub-group does. A kernel that allocates tiles contains no loops over
// threads: all threads of a workgroup execute its operations on tiles together.
// This pass does not distribute them; heddle-tiles-to-lanes does so later.
//
// If sizes lie in ranges, the first buffer of each kernel is the call header,
// that is, the beginning of the arena, which contains the sizes of the call.
// If a number of workgroups depends on sizes, a kernel with one thread
// computes the number before the other kernels run, if the target supports
// this. Otherwise the maximum number of workgroups is launched, and the
// workgroups that the call does not need do nothing.
//
//===----------------------------------------------------------------------===//

#include "CheckKernels.h"
#include "PrivateBuffers.h"
#include "RemoveBarriers.h"
#include "ShareBuffers.h"
#include "SubgroupSums.h"
#include "WorkgroupCounts.h"

#include "tiles/TilePlaces.h"

#include "heddle/ForallIterations.h"
#include "heddle/Passes.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_KERNELSTOGPU
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// Makes the gpu.func of one kernel.
class KernelConverter {
public:
  /// `groups` is the operand of the launch with the number of workgroups, which may depend on the sizes of a call.
  /// `count` is the maximum of this number over all calls.
  KernelConverter(func::FuncOp kernel, gpu::GPUModuleOp module, const Sizes &sizes, Value groups, int64_t count,
                  const KernelsToGpuOptions &options)
      : kernel(kernel), module(module), sizes(sizes), groups(groups), count(count), options(options) {}

  FailureOr<gpu::GPUFuncOp> run();
  /// Returns the number of threads of a workgroup. Must be called after `run`.
  int64_t getThreads() const { return threads; }

private:
  LogicalResult countThreads();
  LogicalResult countThreadsOfTiles();
  void makeThreads(scf::ForallOp forall);
  void leaveToOneThread(Operation *store);
  Value isInside(OpBuilder &b, Location loc, int64_t number);
  void placeBuffers();
  void distribute();

  func::FuncOp kernel;
  gpu::GPUModuleOp module;
  const Sizes &sizes;
  Value groups;
  int64_t count, threads = 1;
  const KernelsToGpuOptions &options;
  bool hasTiles = false; // whether the workgroup computes tiles, which heddle-tiles-to-lanes distributes
  gpu::GPUFuncOp result;
  Value thread; // in `result`, the index of the thread in its workgroup
};

struct KernelsToGpu : heddle::impl::KernelsToGpuBase<KernelsToGpu> {
  using KernelsToGpuBase::KernelsToGpuBase;
  void runOnOperation() override;
};

} // namespace

/// Sets the number of threads of a workgroup to the maximum number of iterations of a loop over threads, but at most to
/// the device's limit. If some of these loops have the attribute `mapping`, the maximum is over these loops only, and
/// the threads share the iterations of the other loops. If the width of sub-groups is known, the number of threads is
/// rounded up to a multiple of this width.
LogicalResult KernelConverter::countThreads() {
  int64_t mapped = 0, maximum = options.threads;
  WalkResult walk = kernel.walk([&](scf::ForallOp forall) {
    std::optional<SmallVector<Extent>> extents = getExtents(forall);
    if (!extents)
      return WalkResult(forall.emitError("expected constant bounds, or a lower bound of 0 and a step of 1"));
    if (forall->getParentOfType<scf::ForallOp>())
      return WalkResult(
          forall.emitOpError("is a loop over threads inside another loop over threads, which is not supported"));
    int64_t count = 1;
    for (const Extent &extent : *extents)
      count = std::min(count * std::min(extent.high(), maximum), maximum);
    threads = std::max(threads, count);
    if (forall.getMapping())
      mapped = std::max(mapped, count);
    return WalkResult::advance();
  });
  if (mapped)
    threads = mapped;
  if (options.subgroup)
    threads = llvm::alignTo(threads, options.subgroup);
  return failure(walk.wasInterrupted());
}

/// Sets the number of threads of a workgroup that computes tiles.
LogicalResult KernelConverter::countThreadsOfTiles() {
  FailureOr<int64_t> count = countTileThreads(kernel);
  if (failed(count))
    return failure();
  if (*count == 0)
    return kernel.emitError("the kernel has tiles in workgroup memory but none in registers; tiles in registers "
                            "determine the number of threads");
  if (*count > options.threads)
    return kernel.emitError("the kernel needs a workgroup of ")
           << *count << " threads, but the device allows " << options.threads;
  threads = *count;
  return success();
}

/// Emits whether the index of the executing thread is smaller than `number`.
Value KernelConverter::isInside(OpBuilder &b, Location loc, int64_t number) {
  Value end = arith::ConstantIndexOp::create(b, loc, number);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, end);
}

/// Makes one thread execute a store that is outside of loops over threads. Adds a barrier before and after the store,
/// because other threads may read the old element before the store and the new element after it.
void KernelConverter::leaveToOneThread(Operation *store) {
  OpBuilder b(store);
  Location loc = store->getLoc();
  gpu::BarrierOp::create(b, loc);
  auto guarded = scf::IfOp::create(b, loc, isInside(b, loc, 1));
  gpu::BarrierOp::create(b, loc);
  store->moveBefore(guarded.thenBlock()->getTerminator());
}

/// Replaces a loop over threads by the iterations that one thread executes, with a barrier before and after them.
void KernelConverter::makeThreads(scf::ForallOp forall) {
  IRRewriter b(forall);
  Location loc = forall.getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  SmallVector<Extent> extents = *getExtents(forall);
  auto emitExtent = [&](unsigned i) { return extents[i].emitValue(b, loc); };
  int64_t fixed = 1; // the product of the fixed extents
  Value iterations;  // the number of all iterations if some extent is not fixed, else null
  for (const Extent &extent : extents)
    fixed *= extent.isFixed() ? extent.number() : 1;
  gpu::BarrierOp::create(b, loc);
  for (const Extent &extent : extents)
    if (!extent.isFixed())
      iterations = arith::MulIOp::create(b, loc, iterations ? iterations : constant(fixed), extent.emitValue(b, loc));
  Value iteration = thread;
  Block *body = nullptr; // the block of the loop or branch around the body, or null
  if (iterations || fixed > threads) {
    Value end = iterations ? iterations : constant(fixed);
    auto loop = scf::ForOp::create(b, loc, thread, end, constant(threads));
    iteration = loop.getInductionVar();
    body = loop.getBody();
  } else if (fixed < threads) {
    body = scf::IfOp::create(b, loc, isInside(b, loc, fixed)).thenBlock();
  }
  b.setInsertionPointAfter(forall);
  gpu::BarrierOp::create(b, loc);
  if (body)
    b.setInsertionPoint(body->getTerminator());
  else
    b.setInsertionPoint(forall);
  SmallVector<Value> ivs = emitInductionVariables(b, forall, iteration, emitExtent);
  b.eraseOp(forall.getTerminator());
  b.inlineBlockBefore(forall.getBody(), b.getInsertionBlock(), b.getInsertionPoint(), ivs);
  b.eraseOp(forall);
}

/// Sets the memory space of a buffer and of its views.
static void setMemory(Value buffer, Attribute memory) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), memory));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      setMemory(user->getResult(0), memory);
}

/// Puts buffers that are allocated outside of loops over threads into workgroup memory, where buffers that are not used
/// at the same time share bytes (ShareBuffers.h). Puts all other buffers into the private memory of a thread, and also
/// buffers of which each thread accesses only its own part (PrivateBuffers.h).
void KernelConverter::placeBuffers() {
  makePrivateBuffers(result, threads);
  SmallVector<memref::AllocOp> shared, own;
  result.walk([&](memref::AllocOp alloc) {
    (alloc->getParentOfType<scf::ForallOp>() ? own : shared).push_back(alloc);
  });
  for (memref::AllocOp alloc : own) {
    OpBuilder b(alloc);
    alloc.replaceAllUsesWith(memref::AllocaOp::create(b, alloc.getLoc(), alloc.getType()).getResult());
    alloc.erase();
  }
  for (memref::AllocOp alloc : shareBuffers(shared))
    setMemory(alloc, gpu::AddressSpaceAttr::get(alloc.getContext(), gpu::AddressSpace::Workgroup));
}

/// Distributes the loops over threads of the kernel that is being made.
void KernelConverter::distribute() {
  SmallVector<memref::StoreOp> ofSubgroups = sumInSubgroups(result, thread, threads, options.subgroup);
  placeBuffers();
  SmallVector<scf::ForallOp> loops;
  result.walk([&](scf::ForallOp forall) { loops.push_back(forall); });
  result.walk([&](Operation *op) {
    if (isa<memref::StoreOp, vector::TransferWriteOp>(op) && !op->getParentOfType<scf::ForallOp>() &&
        !llvm::is_contained(ofSubgroups, op))
      leaveToOneThread(op);
  });
  for (scf::ForallOp forall : loops)
    makeThreads(forall);
  removeBarriers(result.getBody().front());
}

FailureOr<gpu::GPUFuncOp> KernelConverter::run() {
  hasTiles = holdsTiles(kernel);
  if (hasTiles ? failed(checkBesideTiles(kernel)) || failed(countThreadsOfTiles())
               : failed(checkWrites(kernel)) || failed(countThreads()))
    return failure();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  SmallVector<Type> types(kernel.getArgumentTypes().drop_front());
  if (!sizes.empty())
    types.insert(types.begin(), getCallHeaderType(b, sizes));
  result = gpu::GPUFuncOp::create(b, loc, kernel.getName(), b.getFunctionType(types, {}));
  result->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&result.getBody().front());
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value group = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  bool isSplit = count > groupsInOneDimension;
  if (isSplit) {
    Value row = gpu::BlockIdOp::create(b, loc, gpu::Dimension::y);
    group = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, row, constant(groupsInOneDimension)), group);
  }
  IRMapping mapping;
  mapping.map(kernel.getArgument(0), group);
  mapping.map(kernel.getArguments().drop_front(), result.getArguments().take_back(kernel.getNumArguments() - 1));
  Block *body = &result.getBody().front();
  // The launch may start more workgroups than the call needs (`end`). The additional workgroups must do nothing. A
  // branch around barriers is allowed here, because all threads of a workgroup take the same branch.
  OpBuilder inside = b;
  bool isKnown = getConstantIntValue(groups).has_value();
  if (isSplit || (!isKnown && !options.countsWorkgroups)) {
    IRMapping inKernel;
    Value end = isKnown ? constant(count) : emitAgain(b, groups, inKernel);
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, group, end);
    auto guarded = scf::IfOp::create(b, loc, exists);
    inside = OpBuilder::atBlockTerminator(guarded.thenBlock());
  }
  for (Operation &op : kernel.front().without_terminator())
    inside.clone(op, mapping);
  b.setInsertionPointToEnd(body);
  gpu::ReturnOp::create(b, loc);
  if (!hasTiles)
    distribute();
  loadSizes(result, sizes);
  result.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  // Remove the last barrier, since no thread needs to wait at the end.
  if (auto last = dyn_cast_or_null<gpu::BarrierOp>(body->getTerminator()->getPrevNode()))
    last.erase();
  return result;
}

void KernelsToGpu::runOnOperation() {
  ModuleOp root = getOperation();
  Sizes sizes(root);
  SmallVector<LaunchOp> launches;
  root.walk([&](LaunchOp launch) { launches.push_back(launch); });
  OpBuilder b = OpBuilder::atBlockEnd(root.getBody());
  auto module = gpu::GPUModuleOp::create(b, root.getLoc(), "device");
  root->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
  std::optional<WorkgroupCounts> counts;
  if (countsWorkgroups && llvm::any_of(launches, [&](LaunchOp launch) { return WorkgroupCounts::isCounted(launch, sizes); }))
    counts.emplace(module, sizes, launches);
  KernelsToGpuOptions options{threads, subgroup, countsWorkgroups};
  llvm::MapVector<Operation *, std::pair<gpu::GPUFuncOp, int64_t>>
      known; // for each function that was converted, its kernel and the number of threads of the kernel's workgroups
  for (LaunchOp launch : launches) {
    if (failed(checkBuffers(launch, sizes)))
      return signalPassFailure();
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
    std::optional<int64_t> groups = findMax(launch.getGroups(), sizes);
    if (!kernel || !groups) {
      launch.emitOpError(
          "expected a function, and a number of workgroups that is a constant or is computed from sizes");
      return signalPassFailure();
    }
    auto [entry, isNew] = known.insert({kernel, {}});
    if (isNew) {
      KernelConverter converter(kernel, module, sizes, launch.getGroups(), *groups, options);
      FailureOr<gpu::GPUFuncOp> converted = converter.run();
      if (failed(converted))
        return signalPassFailure();
      entry->second = {*converted, converter.getThreads()};
    }
    auto [function, size] = entry->second;
    b.setInsertionPoint(launch);
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, launch.getLoc(), value); };
    Value one = constant(1);
    bool isSplit = *groups > groupsInOneDimension;
    int64_t maximum[] = {isSplit ? groupsInOneDimension : *groups,
                      isSplit ? int64_t(llvm::divideCeil(*groups, groupsInOneDimension)) : 1};
    auto count = [&](unsigned dim) {
      return counts ? counts->emit(b, launch, dim, maximum[dim]) : constant(maximum[dim]);
    };
    Value inX = count(0), inY = count(1);
    gpu::KernelDim3 grid{inX, inY, one};
    SmallVector<Value> buffers(launch.getCaptures());
    if (!sizes.empty())
      buffers.insert(buffers.begin(),
                     emitCallHeader(b, launch.getLoc(), launch->getParentOfType<func::FuncOp>(), sizes));
    gpu::LaunchFuncOp::create(b, launch.getLoc(), function, grid, {constant(size), one, one}, Value(), buffers);
    launch.erase();
  }
  for (auto &[kernel, function] : known)
    kernel->erase();
}
