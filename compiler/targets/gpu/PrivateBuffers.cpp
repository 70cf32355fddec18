//===- PrivateBuffers.cpp - buffers that threads do not share -------------===//
//
// A thread may keep values, such as the sums of a register tile, from one loop
// over threads to the next. It stores them in its own part of a buffer that the
// workgroup allocates. This file replaces the part of each thread by a buffer
// in private memory, which drivers and code generators keep in registers.
//
//===----------------------------------------------------------------------===//

#include "PrivateBuffers.h"

#include "heddle/ForallIterations.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of elements of a private buffer. Larger buffers would not stay in registers.
static constexpr int64_t maxElements = 256;

namespace {

/// The division of one dimension of a buffer into parts. Each iteration in dimension number `loop` of the loops over
/// threads owns `length` elements of the dimension. If `loop` is -1, the dimension is not divided, and `length` is its
/// whole extent.
struct OwnedDim {
  int loop = -1;
  int64_t length = 0;
};

/// Finds the part of a buffer that each thread owns, if all loops over threads use the same division into parts.
class Ownership {
public:
  Ownership(memref::AllocOp alloc, int64_t threads) : alloc(alloc), threads(threads) {}
  /// Returns whether each thread is known to own a part of the buffer that no other thread accesses, with at most
  /// maxElements elements.
  bool find();
  /// Replaces the buffer by a private buffer of each thread. `find` must have returned true.
  void apply(FunctionOpInterface kernel);

private:
  bool addPart(memref::SubViewOp part);
  bool addDim(unsigned dim, OpFoldResult offset, int64_t size, scf::ForallOp forall);

  memref::AllocOp alloc;
  int64_t threads;
  SmallVector<int64_t> extents; // the number of iterations in each dimension of the loops, equal for all loops
  SmallVector<OwnedDim> dims;   // one for each dimension of the buffer
  SmallVector<memref::SubViewOp> parts;      // all uses of the buffer
  SmallVector<SmallVector<int64_t>> offsets; // for each element of `parts`, its offsets in a thread's private buffer
};

} // namespace

/// Returns whether all uses of the part are loads and stores with constant indices. (Buffers in registers cannot be
/// indexed by variables.)
static bool hasKnownPlaces(memref::SubViewOp part) {
  return llvm::all_of(part->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    auto indices = [&]() -> std::optional<ValueRange> {
      if (auto load = dyn_cast<memref::LoadOp>(user))
        return load.getIndices();
      if (auto store = dyn_cast<memref::StoreOp>(user))
        return store.getIndices();
      if (auto transfer = dyn_cast<VectorTransferOpInterface>(user); transfer && use.getOperandNumber() != 0)
        return transfer.getIndices();
      if (auto read = dyn_cast<vector::TransferReadOp>(user))
        return read.getIndices();
      return std::nullopt;
    }();
    return indices && llvm::all_of(*indices, [](Value index) { return getConstantIntValue(index).has_value(); });
  });
}

/// Determines which iterations own the elements along one dimension, from the offset and the size of a part in this
/// dimension. Returns false if this is not possible or contradicts another part. The offset must be a constant c, or
/// the sum of c and an induction variable that is multiplied by a factor of at least c + `size`.
bool Ownership::addDim(unsigned dim, OpFoldResult offset, int64_t size, scf::ForallOp forall) {
  AffineMap map = AffineMap::get(1, 0, getAffineDimExpr(0, alloc.getContext()));
  OpBuilder b(alloc);
  SmallVector<Value> operands;
  int64_t shift = 0, factor = 0;
  int loop = -1;
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    shift = *constant;
  } else {
    operands.push_back(cast<Value>(offset));
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    affine::canonicalizeMapAndOperands(&map, &operands);
    if (operands.size() != 1)
      return false;
    SmallVector<Value> variables = forall.getInductionVars();
    const auto *variable = llvm::find(variables, operands[0]);
    AffineExpr expr = map.getResult(0);
    bool isLinear = !expr.walk([](AffineExpr part) {
                           bool divides = part.getKind() == AffineExprKind::Mod ||
                                          part.getKind() == AffineExprKind::FloorDiv ||
                                          part.getKind() == AffineExprKind::CeilDiv;
                           return divides ? WalkResult::interrupt() : WalkResult::advance();
                         })
                         .wasInterrupted();
    auto at = [&](int64_t x) {
      AffineExpr constant = b.getAffineConstantExpr(x);
      SmallVector<AffineExpr> places(1, constant);
      return cast<AffineConstantExpr>(expr.replaceDimsAndSymbols(places, places)).getValue();
    };
    if (variable == variables.end() || !isLinear)
      return false;
    loop = variable - variables.begin();
    shift = at(0);
    factor = at(1) - shift;
  }
  bool isFirst = parts.empty();
  OwnedDim known = isFirst ? OwnedDim{loop, loop < 0 ? alloc.getType().getDimSize(dim) : factor} : dims[dim];
  if (known.loop != loop || (loop >= 0 && known.length != factor) || shift < 0 || shift + size > known.length)
    return false;
  if (isFirst)
    dims.push_back(known);
  offsets.back().push_back(shift);
  return true;
}

bool Ownership::addPart(memref::SubViewOp part) {
  auto forall = part->getParentOfType<scf::ForallOp>();
  if (!forall || !part.hasUnitStride() || !part.getType().hasStaticShape() || !hasKnownPlaces(part))
    return false;
  std::optional<SmallVector<int64_t>> counts = getFixedExtents(forall);
  if (!counts || llvm::product_of(*counts) > threads || (!parts.empty() && *counts != extents))
    return false;
  extents = *counts;
  offsets.emplace_back();
  for (auto [dim, offset] : llvm::enumerate(part.getMixedOffsets()))
    if (!addDim(dim, offset, part.getStaticSize(dim), forall))
      return false;
  parts.push_back(part);
  return true;
}

bool Ownership::find() {
  if (!alloc.getType().hasStaticShape() || alloc->getParentOfType<scf::ForallOp>() || alloc->use_empty())
    return false;
  for (Operation *user : alloc->getUsers())
    if (auto part = dyn_cast<memref::SubViewOp>(user); !part || !addPart(part))
      return false;
  int64_t elements = 1;
  for (const OwnedDim &dim : dims)
    elements *= dim.length;
  // Different threads must own different parts. So each dimension of the loops that has more than one iteration must
  // divide a dimension of the buffer.
  bool isApart = llvm::all_of(llvm::enumerate(extents), [&](auto extent) {
    return extent.value() == 1 ||
           llvm::any_of(dims, [&](const OwnedDim &dim) { return dim.loop == int(extent.index()); });
  });
  return isApart && elements <= maxElements;
}

void Ownership::apply(FunctionOpInterface kernel) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getFunctionBody().front());
  auto shape = llvm::map_to_vector(dims, [](const OwnedDim &dim) { return dim.length; });
  Value own = memref::AllocaOp::create(b, alloc.getLoc(), MemRefType::get(shape, alloc.getType().getElementType()));
  for (auto [part, places] : llvm::zip(parts, offsets)) {
    b.setInsertionPoint(part);
    SmallVector<int64_t> ones(shape.size(), 1);
    auto type = memref::SubViewOp::inferRankReducedResultType(
        part.getType().getShape(), cast<MemRefType>(own.getType()), places, part.getStaticSizes(), ones);
    Value view = memref::SubViewOp::create(b, part.getLoc(), type, own, places, part.getStaticSizes(), ones);
    part.replaceAllUsesWith(view);
    part.erase();
  }
  alloc.erase();
}

void heddle::makePrivateBuffers(FunctionOpInterface kernel, int64_t threads) {
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (memref::AllocOp alloc : allocs)
    if (Ownership ownership(alloc, threads); ownership.find())
      ownership.apply(kernel);
}
