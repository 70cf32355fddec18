//===- StreamResults.cpp - nontemporal stores and prefetches --------------===//
//
// A result that is larger than the caches is no longer in the caches when it is
// read next, so storing it in the caches is useless. Moreover, an ordinary
// store first loads the cache line that it overwrites. So this pass makes
// stores of whole vectors to such results nontemporal, that is, the stores
// bypass the caches. Nontemporal stores need addresses that are multiples of
// the vector size. The pass proves that the position of each store relative to
// the start of the result is such a multiple. The parallel loop around the
// stores gets two versions of its body. It checks the address of the start at
// run time, and runs the version with ordinary stores if the address is not
// aligned.
//
// An iteration of a loop over rows may read its rows several times, and only
// the first read has to wait for memory. In the last inner loop that reads the
// rows, the pass adds prefetches of the rows of the next iteration.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Notes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_STREAMRESULTS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns the argument of the function on which a view is based, or null.
static BlockArgument argumentOf(Value memref, func::FuncOp func) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && argument.getOwner() == &func.front() ? argument : BlockArgument();
}

/// Returns whether the index is known to be a multiple of `unit` in every iteration.
static bool isMultiple(OpFoldResult index, int64_t unit) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % unit == 0;
  auto value = cast<Value>(index);
  if (auto loop = dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp()))
    if (value == loop.getInductionVar())
      return isMultiple(loop.getLowerBound(), unit) && isMultiple(loop.getStep(), unit);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return isMultiple(sum.getLhs(), unit) && isMultiple(sum.getRhs(), unit);
  return false;
}

/// Returns whether the distance of the element at `indices` in `memref` from the start of the function's argument is
/// known to be a multiple of `lanes` elements. `memref` is the argument or a view of it. If `indices` is empty, the
/// element is the first one of `memref`.
static bool staysAligned(Value memref, ValueRange indices, int64_t lanes) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() || strides.back() != 1)
    return false;
  auto whole = [&](ArrayRef<OpFoldResult> at) {
    for (auto [index, stride] : llvm::zip(at, strides))
      if (ShapedType::isDynamic(stride) || (stride % lanes != 0 && !isMultiple(index, lanes)))
        return false;
    return true;
  };
  if (!whole(getAsOpFoldResult(indices)))
    return false;
  if (auto subview = memref.getDefiningOp<memref::SubViewOp>()) {
    // The offsets of a subview are in units of the strides of its source. If the subview has unit strides, `strides`
    // are also the strides of the source.
    if (!subview.hasUnitStride() || subview.getSourceType().getRank() != type.getRank())
      return false;
    return whole(subview.getMixedOffsets()) &&
           staysAligned(subview.getSource(), SmallVector<Value>(), lanes);
  }
  if (auto reshape = memref.getDefiningOp<ViewLikeOpInterface>())
    return isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(reshape) &&
           cast<MemRefType>(reshape.getViewSource().getType()).getLayout().isIdentity();
  return isa<BlockArgument>(memref);
}

static int64_t bytesOf(VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth() / 8; }

namespace {

/// Adds prefetches to the body of one parallel loop, and replaces the body by two versions: one with nontemporal
/// stores, and one with ordinary stores.
class LoopStreamer {
public:
  LoopStreamer(scf::ForallOp forall, func::FuncOp func) : forall(forall), func(func) {}
  void run();

private:
  void findWrites();
  void prefetchIn(scf::ForOp rows);

  scf::ForallOp forall;
  func::FuncOp func;
  SmallVector<vector::TransferWriteOp> writes; // the writes that bypass the caches
  BlockArgument result; // the argument of the function to which all of `writes` write
};

} // namespace

/// Finds the writes of whole vectors to one result that the function does not read. Omits writes whose position
/// relative to the start of the result is not known to be a multiple of the vector size.
void LoopStreamer::findWrites() {
  llvm::SetVector<Value> read;
  func.walk([&](vector::TransferReadOp op) { read.insert(argumentOf(op.getBase(), func)); });
  func.walk([&](memref::LoadOp op) { read.insert(argumentOf(op.getMemRef(), func)); });
  forall.walk([&](vector::TransferWriteOp op) {
    BlockArgument argument = argumentOf(op.getBase(), func);
    VectorType type = op.getVectorType();
    if (!argument || read.contains(argument) || (result && argument != result) || type.getRank() != 1 ||
        !llvm::isPowerOf2_64(bytesOf(type)) || op.getMask() || op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
        !staysAligned(op.getBase(), op.getIndices(), type.getNumElements()))
      return;
    result = argument;
    writes.push_back(op);
  });
}

/// Emits and returns the view that the next iteration of the loop `rows` reads where the current iteration reads
/// `view`. `next` maps the induction variable of the loop to its next value. Returns null if the view is not directly
/// in the body of `rows`, if its position does not depend on `rows`, or if its position is not computed from the
/// induction variable by at most one pure operation for each operand.
static Value viewOfNext(memref::SubViewOp view, scf::ForOp rows, IRMapping &next) {
  if (view->getParentOp() != rows)
    return nullptr;
  if (Value known = next.lookupOrNull(view.getResult()))
    return known;
  bool follows = false;
  SmallVector<Operation *> definitions;
  for (Value operand : view->getOperands()) {
    follows |= operand == rows.getInductionVar();
    Operation *definition = operand.getDefiningOp();
    if (!definition || !rows->isAncestor(definition))
      continue;
    for (Value used : definition->getOperands())
      if (used != rows.getInductionVar() && rows->isAncestor(used.getParentRegion()->getParentOp()))
        return nullptr;
    if (!isPure(definition))
      return nullptr;
    follows = true;
    definitions.push_back(definition);
  }
  if (!follows)
    return nullptr;
  OpBuilder b(view);
  for (Operation *definition : definitions)
    if (!next.contains(definition->getResult(0)))
      b.clone(*definition, next);
  return b.clone(*view, next)->getResult(0);
}

/// Adds prefetches to the last loop over columns that reads a row of the current iteration. The prefetches load the
/// same columns of the corresponding row of the next iteration. The last iteration prefetches its own rows again. Does
/// nothing if the upper bound or the step of `rows` is not a constant.
void LoopStreamer::prefetchIn(scf::ForOp rows) {
  std::optional<int64_t> end = getConstantIntValue(rows.getUpperBound()), step = getConstantIntValue(rows.getStep());
  if (!end || !step)
    return;
  OpBuilder b(func.getContext());
  b.setInsertionPointToStart(rows.getBody());
  Location loc = rows.getLoc();
  Value row = arith::AddIOp::create(b, loc, rows.getInductionVar(), rows.getStep());
  row = arith::MinUIOp::create(b, loc, row, arith::ConstantIndexOp::create(b, loc, *end - *step));
  IRMapping next;
  next.map(rows.getInductionVar(), row);
  // A row is identified by a view and an index into the view. Visit the loops from the last one to the first.
  DenseSet<std::pair<Value, std::optional<int64_t>>> done; // the rows for which a prefetch was added
  auto loops = llvm::to_vector(rows.getBody()->getOps<scf::ForOp>());
  for (scf::ForOp columns : llvm::reverse(loops)) {
    auto before = done;
    for (auto read : llvm::to_vector(columns.getBody()->getOps<vector::TransferReadOp>())) {
      auto view = read.getBase().getDefiningOp<memref::SubViewOp>();
      BlockArgument argument = argumentOf(read.getBase(), func);
      if (!view || !argument || notes::arena.has(func, argument.getArgNumber()))
        continue;
      std::pair<Value, std::optional<int64_t>> place{view, getConstantIntValue(read.getIndices().front())};
      if (before.contains(place))
        continue;
      if (Value nextView = viewOfNext(view, rows, next)) {
        b.setInsertionPoint(read);
        memref::PrefetchOp::create(b, read.getLoc(), nextView, read.getIndices(), /*isWrite=*/false,
                                   /*localityHint=*/2, /*isDataCache=*/true);
        done.insert(place);
      }
    }
  }
}

void LoopStreamer::run() {
  findWrites();
  if (writes.empty())
    return;
  llvm::SetVector<scf::ForOp> loops;
  for (vector::TransferWriteOp write : writes)
    if (auto rows = write->getParentOp()->getParentOfType<scf::ForOp>())
      loops.insert(rows);
  for (scf::ForOp rows : loops)
    prefetchIn(rows);

  Location loc = forall.getLoc();
  OpBuilder b(func.getContext());
  Block *body = forall.getBody();
  SmallVector<Operation *> all;
  for (Operation &op : body->without_terminator())
    all.push_back(&op);
  b.setInsertionPointToStart(body);
  int64_t bytes = 0; // the size of the widest vector in bytes, a multiple of the sizes of the other vectors
  for (vector::TransferWriteOp write : writes)
    bytes = std::max(bytes, bytesOf(write.getVectorType()));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, result);
  Value rest = arith::RemUIOp::create(b, loc, start, arith::ConstantIndexOp::create(b, loc, bytes));
  Value aligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                        arith::ConstantIndexOp::create(b, loc, 0));
  auto choice = scf::IfOp::create(b, loc, aligned, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.elseBlock());
  IRMapping copies;
  for (Operation *op : all)
    b.clone(*op, copies);
  for (Operation *op : all)
    op->moveBefore(choice.thenBlock()->getTerminator());
  for (vector::TransferWriteOp write : writes)
    notes::nontemporal.set(write);
}

namespace {
struct StreamResults : heddle::impl::StreamResultsBase<StreamResults> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!notes::streamResults.remove(func))
      return;
    SmallVector<scf::ForallOp> loops;
    func.walk([&](scf::ForallOp forall) {
      if (!forall->getParentOfType<scf::ForallOp>())
        loops.push_back(forall);
    });
    for (scf::ForallOp forall : loops)
      LoopStreamer(forall, func).run();
  }
};
} // namespace
