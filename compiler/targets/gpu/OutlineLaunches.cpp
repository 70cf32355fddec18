//===- OutlineLaunches.cpp - parallel loops to launches -------------------===//
//
// This pass replaces each outermost parallel loop (scf.forall) by a launch of a
// kernel. If the loop contains other parallel loops, a workgroup executes each
// of its iterations, and the threads of the workgroup execute the iterations of
// the inner loops. A loop that allocates tiles is a loop over workgroups, too,
// even if it contains no other loop; heddle-tiles-to-lanes distributes its
// operations on tiles over the threads. If the loop contains no parallel loops
// and no tiles, a thread executes each of its iterations, in workgroups of
// `threads` threads.
//
//===----------------------------------------------------------------------===//

#include "KernelOrigin.h"
#include "PrepareLaunches.h"

#include "heddle/ForallIterations.h"
#include "heddle/Passes.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_OUTLINELAUNCHES
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// Replaces one scf.forall that is not inside another scf.forall by a launch of a kernel that contains the loop's body.
class LaunchOutliner {
public:
  LaunchOutliner(scf::ForallOp forall, func::FuncOp parent, unsigned number, int64_t threads)
      : forall(forall), parent(parent), number(number), threads(threads) {}

  LogicalResult run();

private:
  LogicalResult findCaptures();
  func::FuncOp makeKernel();
  void makeInside(OpBuilder &builder, Value value);
  void cloneIteration(OpBuilder &builder, Value iteration);
  Value emitCount(OpBuilder &builder);
  Value emitGroups(OpBuilder &builder);
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, forall.getLoc(), value);
  }

  scf::ForallOp forall;
  func::FuncOp parent;
  unsigned number;                 // the number of the loop in `parent`, for the kernel's name
  int64_t threads;                 // the number of threads of a workgroup if the iterations are threads
  ForallCount count;               // the number of iterations
  bool isOfThreads = false;        // whether a thread, not a workgroup, executes each iteration
  llvm::SetVector<Value> captures; // the buffers that are passed to the kernel
  IRMapping mapping;               // from values of `parent` to values of the kernel
};

} // namespace

/// Returns whether the value is a whole buffer, which can be passed to a kernel.
static bool isWhole(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.hasStaticShape() && type.getLayout().isIdentity();
}

/// Returns whether the kernel computes the value again instead of getting it as an argument. This applies to results of
/// pure operations without regions that are not whole buffers, such as views of parts of a buffer, constants and index
/// arithmetic.
static bool isCheap(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) && !isWhole(value);
}

/// Sets `captures`. Emits an error and fails if the kernel needs a value that is neither cheap nor a whole buffer.
LogicalResult LaunchOutliner::findCaptures() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  SmallVector<Value> todo(used.takeVector());
  OpBuilder builder(forall);
  for (const Extent &extent : count.extents)
    if (!extent.isFixed())
      todo.push_back(extent.emitValue(builder, forall.getLoc()));
  for (size_t i = 0; i < todo.size(); ++i) {
    Value value = todo[i];
    if (isCheap(value))
      llvm::append_range(todo, value.getDefiningOp()->getOperands());
    else
      captures.insert(value);
  }
  for (Value capture : captures)
    if (!isWhole(capture))
      return forall.emitError("cannot pass a value of type ") << capture.getType() << " to a device";
  return success();
}

/// Clones the operations that compute `value` into the kernel, unless `mapping` already contains the value.
void LaunchOutliner::makeInside(OpBuilder &builder, Value value) {
  if (mapping.contains(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    makeInside(builder, operand);
  builder.clone(*value.getDefiningOp(), mapping);
}

/// Emits the body of the loop for the iteration with this number. Iterations are numbered in row-major order.
void LaunchOutliner::cloneIteration(OpBuilder &builder, Value iteration) {
  mapping.map(forall.getInductionVars(), emitInductionVariables(builder, forall, iteration, [&](unsigned i) {
                Value extent = count.extents[i].emitValue(builder, forall.getLoc());
                return count.extents[i].isFixed() ? extent : mapping.lookup(extent);
              }));
  for (Operation &op : forall.getBody()->without_terminator())
    builder.clone(op, mapping);
}

/// Emits the number of iterations. The insertion point must be in the function `parent` as long as `mapping` is empty,
/// and in the kernel afterwards.
Value LaunchOutliner::emitCount(OpBuilder &builder) {
  Location loc = forall.getLoc();
  Value product = constant(builder, count.fixed);
  for (const Extent &extent : count.extents)
    if (!extent.isFixed())
      product = arith::MulIOp::create(builder, loc, product, mapping.lookupOrDefault(extent.emitValue(builder, loc)));
  return product;
}

/// Emits the number of workgroups of the launch, in the function `parent`.
Value LaunchOutliner::emitGroups(OpBuilder &builder) {
  if (count.isFixed)
    return constant(builder, isOfThreads ? llvm::divideCeil(count.fixed, threads) : count.fixed);
  Value iterations = emitCount(builder);
  if (!isOfThreads)
    return iterations;
  return arith::CeilDivUIOp::create(builder, forall.getLoc(), iterations, constant(builder, threads));
}

/// Creates the kernel. Its arguments are the number of the workgroup and the captures.
func::FuncOp LaunchOutliner::makeKernel() {
  OpBuilder builder(parent);
  Location loc = forall.getLoc();
  SmallVector<Type> types(1, builder.getIndexType());
  for (Value capture : captures)
    types.push_back(capture.getType());
  auto kernel = func::FuncOp::create(builder, KernelOrigin::locate(parent),
                                     (parent.getName() + "_launch" + Twine(number)).str(),
                                     builder.getFunctionType(types, {}));
  kernel.setPrivate();
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  Value group = kernel.getArgument(0);
  for (auto [capture, arg] : llvm::zip(captures, kernel.getArguments().drop_front()))
    mapping.map(capture, arg);
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(forall.getRegion(), used);
  for (const Extent &extent : count.extents)
    if (!extent.isFixed())
      used.insert(extent.emitValue(builder, loc));
  for (Value value : used)
    makeInside(builder, value);
  if (isOfThreads) {
    auto loop = scf::ForallOp::create(builder, loc, ArrayRef<OpFoldResult>{builder.getIndexAttr(threads)}, ValueRange(),
                                      std::nullopt);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getTerminator());
    Value first = arith::MulIOp::create(builder, loc, group, constant(builder, threads));
    Value iteration = arith::AddIOp::create(builder, loc, first, loop.getInductionVar(0));
    if (!count.isFixed || count.fixed % threads != 0) {
      Value inside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, iteration, emitCount(builder));
      auto guarded = scf::IfOp::create(builder, loc, inside);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    cloneIteration(builder, iteration);
  } else {
    cloneIteration(builder, group);
  }
  func::ReturnOp::create(builder, loc);
  return kernel;
}

LogicalResult LaunchOutliner::run() {
  FailureOr<ForallCount> counted = countIterations(forall);
  if (failed(counted))
    return failure();
  count = std::move(*counted);
  IRRewriter rewriter(forall);
  if (count.fixed > 0) {
    isOfThreads = !isOfWorkgroups(forall);
    if (failed(findCaptures()))
      return failure();
    Value groups = emitGroups(rewriter);
    func::FuncOp kernel = makeKernel();
    LaunchOp::create(rewriter, forall.getLoc(), FlatSymbolRefAttr::get(kernel), groups, captures.getArrayRef());
  }
  rewriter.eraseOp(forall);
  return success();
}

/// Emits an error if the function contains an operation that is neither a launch nor a call nor pure. Such an operation
/// is outside of parallel loops, so no thread of the device would execute it.
static LogicalResult checkRest(func::FuncOp func) {
  for (Operation &op : func.front().without_terminator())
    if (!isa<LaunchOp, func::CallOp>(op) && !isPure(&op))
      return op.emitOpError("is outside of parallel loops: no thread of a device would execute this operation");
  return success();
}

namespace {
struct OutlineLaunches : heddle::impl::OutlineLaunchesBase<OutlineLaunches> {
  using OutlineLaunchesBase::OutlineLaunchesBase;
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      if (failed(prepareLaunches(func)))
        return signalPassFailure();
      for (auto [number, forall] : llvm::enumerate(llvm::to_vector(func.getOps<scf::ForallOp>())))
        if (failed(LaunchOutliner(forall, func, number, threads).run()))
          return signalPassFailure();
      if (failed(checkRest(func)))
        return signalPassFailure();
    }
  }
};
} // namespace
