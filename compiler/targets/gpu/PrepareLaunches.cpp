//===- PrepareLaunches.cpp - puts all work into parallel loops ------------===//

#include "PrepareLaunches.h"

#include "tiles/TilePlaces.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

bool heddle::isOfWorkgroups(scf::ForallOp forall) {
  return holdsTiles(forall) ||
         forall.getBody()->walk([](scf::ForallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns whether an op is in a loop over workgroups, outside of loops over its threads.
static bool isOutsideOfThreads(Operation *op) {
  auto forall = op->getParentOfType<scf::ForallOp>();
  return forall && !forall->getParentOfType<scf::ForallOp>() && isOfWorkgroups(forall);
}

/// Replaces a copy by a parallel loop over its elements.
static void makeLoop(memref::CopyOp copy) {
  IRRewriter builder(copy);
  Location loc = copy.getLoc();
  SmallVector<OpFoldResult> counts = memref::getMixedSizes(builder, loc, copy.getSource());
  Sizes sizes(copy);
  for (OpFoldResult &count : counts)
    if (std::optional<int64_t> number = getConstantIntValue(count))
      count = sizes.of(*number).emit(builder, loc);
  if (counts.empty())
    counts.push_back(builder.getIndexAttr(1));
  auto loop = scf::ForallOp::create(builder, loc, counts, ValueRange(), std::nullopt);
  builder.setInsertionPoint(loop.getTerminator());
  SmallVector<Value> ivs = loop.getInductionVars();
  ivs.resize(cast<MemRefType>(copy.getSource().getType()).getRank());
  Value element = memref::LoadOp::create(builder, loc, copy.getSource(), ivs);
  memref::StoreOp::create(builder, loc, element, copy.getTarget(), ivs);
  builder.eraseOp(copy);
}

/// Replaces a copy of one row, which one thread executes, by reads and writes of vectors. Does nothing unless the row
/// is contiguous and consists of f32 that fill whole vectors.
static void makeVectors(memref::CopyOp copy) {
  auto from = cast<MemRefType>(copy.getSource().getType()), to = cast<MemRefType>(copy.getTarget().getType());
  constexpr int64_t lanes = 4; // the number of f32 in a vector of 128 bits
  if (!from.getElementType().isF32() || !from.hasStaticShape() || from.getRank() == 0 ||
      from.getShape().back() != from.getNumElements() || from.getNumElements() % lanes != 0 ||
      !from.isLastDimUnitStride() || !to.isLastDimUnitStride())
    return;
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  auto type = VectorType::get({lanes}, from.getElementType());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(from.getElementType()));
  SmallVector<Value> at(from.getRank(), arith::ConstantIndexOp::create(b, 0));
  for (int64_t first = 0; first < from.getNumElements(); first += lanes) {
    at.back() = arith::ConstantIndexOp::create(b, first);
    Value row = vector::TransferReadOp::create(b, type, copy.getSource(), at, none, ArrayRef<bool>(true));
    vector::TransferWriteOp::create(b, row, copy.getTarget(), at, ArrayRef<bool>(true));
  }
  copy.erase();
}

/// Replaces a copy of a tile by an elementwise operation, which heddle-tiles-to-lanes lowers.
static void makeElementwise(memref::CopyOp copy) {
  OpBuilder b(copy);
  linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(), copy.getTarget());
  copy.erase();
}

/// Moves operations of a function's body into a parallel loop with one iteration, so that one workgroup executes them.
/// Moves views of the arena out of these operations, in front of the loop. Emits an error and fails if an operation
/// outside of the loop uses a result of these operations.
static LogicalResult wrap(ArrayRef<Operation *> ops) {
  IRRewriter builder(ops.front()->getContext());
  builder.setInsertionPointAfter(ops.back());
  auto loop = scf::ForallOp::create(builder, ops.front()->getLoc(), ArrayRef<OpFoldResult>{builder.getIndexAttr(1)},
                                    ValueRange(), std::nullopt);
  for (Operation *op : ops)
    builder.moveOpBefore(op, loop.getTerminator());
  SmallVector<memref::ViewOp> views;
  loop.walk([&](memref::ViewOp view) { views.push_back(view); });
  for (memref::ViewOp view : views) {
    for (Value operand : view->getOperands())
      if (Operation *constant = operand.getDefiningOp(); constant && loop->isProperAncestor(constant))
        constant->moveBefore(loop);
    view->moveBefore(loop);
  }
  for (Operation *op : ops)
    for (Operation *user : op->getUsers())
      if (!loop->isProperAncestor(user))
        return op->emitOpError("is in one launch, but another launch uses its result, which is not in a buffer");
  return success();
}

/// Wraps operations of the function's body into loops that one workgroup executes. This is necessary because earlier
/// passes replaced each loop over workgroups that has only one iteration by its body. Therefore the loops over threads,
/// and the code between these loops, may be directly in the function's body. If the body contains a loop over several
/// workgroups, each parallel loop and each copy of the body becomes a launch of its own. Calls of kernels are not
/// moved, since the called functions contain launches. This function wraps the code between launches and calls.
static LogicalResult wrapWorkgroups(func::FuncOp func) {
  // Returns whether an operation is not parallel itself. Such an operation must be in a loop over workgroups.
  auto isSerial = [](Operation *op) {
    return op->getNumRegions() > 0 ? !isa<scf::ForallOp>(op) : isa<memref::StoreOp>(op);
  };
  auto hasWorkgroups = llvm::any_of(func.getOps<scf::ForallOp>(), isOfWorkgroups);
  SmallVector<Operation *> between; // the operations since the last launch or call that may have to be wrapped
  auto finish = [&] {
    SmallVector<Operation *> ops = std::exchange(between, {});
    return llvm::any_of(ops, isSerial) ? wrap(ops) : success();
  };
  // Do not wrap views and index arithmetic: the outliner repeats them in each kernel that uses their results.
  auto isOfTheseOps = [&](Operation *op) {
    return op->getNumRegions() > 0 || !isPure(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
             return llvm::is_contained(between, operand.getDefiningOp());
           });
  };
  for (Operation &op : llvm::make_early_inc_range(func.front().without_terminator())) {
    if (isa<func::CallOp>(op) || (isa<scf::ForallOp, memref::CopyOp>(op) && hasWorkgroups)) {
      if (failed(finish()))
        return failure();
    } else if (isOfTheseOps(&op)) {
      between.push_back(&op);
    }
  }
  return finish();
}

LogicalResult heddle::prepareLaunches(func::FuncOp func) {
  if (failed(wrapWorkgroups(func)))
    return failure();
  func.walk([](memref::CopyOp copy) {
    if (isOnTiles(copy))
      return makeElementwise(copy);
    if (!copy->getParentOfType<scf::ForallOp>() || isOutsideOfThreads(copy))
      makeLoop(copy);
    else
      makeVectors(copy);
  });
  return success();
}
