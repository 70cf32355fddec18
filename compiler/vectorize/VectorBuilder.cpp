//===- VectorBuilder.cpp - builds loops and vectors on tensors ------------===//

#include "VectorBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

FailureOr<SmallVector<Extent>> heddle::loopExtents(linalg::LinalgOp op, OpBuilder *allowed) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError() << "cannot be vectorised: expected operands that are tensors";
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<Extent> extents(sizes.begin(), sizes.end());
  if (!llvm::any_of(sizes, ShapedType::isDynamic))
    return extents;
  if (!allowed)
    return op.emitOpError() << "cannot be vectorised: expected a tile of static size, found a dynamic loop";
  OpBuilder::InsertionGuard guard(*allowed);
  allowed->setInsertionPoint(op);
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (!ShapedType::isDynamic(sizes[loop]))
      continue;
    // The extent is read from the first operand that has the dimension. This is an input if possible: the linalg.fill
    // that initialises a sum must not get a second use, since it would then no longer be recognised.
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<unsigned> at =
              op.getMatchingIndexingMap(&operand).getResultPosition(allowed->getAffineDimExpr(loop))) {
        extent = allowed->createOrFold<tensor::DimOp>(op.getLoc(), operand.get(), *at);
        break;
      }
    if (extent.isFixed())
      return op.emitOpError() << "has a dynamic loop whose extent is not a dimension of an operand";
  }
  return extents;
}

Value VectorBuilder::index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(*this, getLoc(), value); }

OpFoldResult VectorBuilder::add(OpFoldResult index, int64_t offset) {
  if (offset == 0)
    return index;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getIndexAttr(*constant + offset);
  Value by = this->index(getIndexAttr(offset));
  return arith::AddIOp::create(*this, this->index(index), by).getResult();
}

Value VectorBuilder::broadcast(Value value, int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  return createOrFold<vector::BroadcastOp>(VectorType::get({width}, value.getType()), value);
}

Value VectorBuilder::mask(int64_t width, int64_t valid) {
  return vector::ConstantMaskOp::create(*this, VectorType::get({width}, getI1Type()), ArrayRef<int64_t>{valid});
}

Value VectorBuilder::resized(Value vector, int64_t width) {
  int64_t has = cast<VectorType>(vector.getType()).getNumElements();
  if (has == width)
    return vector;
  SmallVector<int64_t> first(width, vector::ShuffleOp::kPoisonIndex);
  std::iota(first.begin(), first.begin() + std::min(has, width), 0);
  return vector::ShuffleOp::create(*this, vector, vector, first);
}

static SmallVector<Value> toValues(VectorBuilder &b, VectorBuilder::Indices at) {
  return llvm::map_to_vector(at, [&](OpFoldResult index) { return b.index(index); });
}

Value VectorBuilder::element(Value tensor, Indices at) {
  return tensor::ExtractOp::create(*this, tensor, toValues(*this, at));
}

Value VectorBuilder::read(Value tensor, Indices at, int64_t width, int64_t valid) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  TypedAttr padding = isa<FloatType>(element) ? TypedAttr(getFloatAttr(element, 0.0)) : getIntegerAttr(element, 1);
  AffineMap minor = AffineMap::getMinorIdentityMap(type.getRank(), 1, getContext());
  return vector::TransferReadOp::create(*this, VectorType::get({width}, element), tensor, toValues(*this, at),
                                        AffineMapAttr::get(minor), arith::ConstantOp::create(*this, padding),
                                        valid < width ? mask(width, valid) : Value(), getBoolArrayAttr({true}));
}

Value VectorBuilder::write(Value vector, Value tensor, Indices at, int64_t valid) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  AffineMap minor = AffineMap::getMinorIdentityMap(at.size(), 1, getContext());
  return vector::TransferWriteOp::create(*this, vector, tensor, toValues(*this, at), AffineMapAttr::get(minor),
                                         valid < width ? mask(width, valid) : Value(), getBoolArrayAttr({true}))
      .getResult();
}

Value VectorBuilder::memory(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto layout = StridedLayoutAttr::get(getContext(), ShapedType::kDynamic,
                                       SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic));
  auto buffer = MemRefType::get(type.getShape(), type.getElementType(), layout);
  return bufferization::ToBufferOp::create(*this, buffer, tensor, /*read_only=*/true);
}

void VectorBuilder::prefetch(Value memory, Indices at, int64_t locality) {
  memref::PrefetchOp::create(*this, memory, toValues(*this, at), /*isWrite=*/false, locality, /*isDataCache=*/true);
}

VectorBuilder::Values VectorBuilder::loop(const Extent &extent, int64_t step, Values carried,
                                          function_ref<Values(OpFoldResult, int64_t, Values)> body, int64_t begin) {
  auto bound = [&](int64_t value) { return index(getIndexAttr(value)); };
  auto loop = [&](Value from, Value to, int64_t by) {
    auto loop = scf::ForOp::create(*this, from, to, bound(by), carried);
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(loop.getBody());
    Values results = body(loop.getInductionVar(), by, Values(loop.getRegionIterArgs()));
    if (!results.empty())
      scf::YieldOp::create(*this, results);
    carried.assign(loop->result_begin(), loop->result_end());
  };
  if (!extent.isFixed()) {
    assert(begin == 0 && "only loops of a fixed extent can begin elsewhere");
    Value end = extent.emitValue(*this, getLoc());
    // Iterations that do not fill a whole step run in steps of 4, and then in steps of 1. Steps of 4 hide more latency
    // than steps of 1.
    Value from = bound(0);
    for (; step > 1; step = step > 4 ? 4 : 1) {
      Value left = createOrFold<arith::SubIOp>(end, from);
      Value rest = arith::RemUIOp::create(*this, left, bound(step));
      Value whole = arith::SubIOp::create(*this, end, rest);
      loop(from, whole, step);
      from = whole;
    }
    loop(from, end, 1);
    return carried;
  }
  Extent part = extent.number() - begin;
  // A single step is emitted without a loop, so that its index is a constant.
  int64_t whole = begin + part.wholeSteps(step), rest = part.rest(step);
  if (whole - begin == step)
    carried = body(getIndexAttr(begin), step, std::move(carried));
  else if (begin < whole)
    loop(bound(begin), bound(whole), step);
  return rest ? body(getIndexAttr(whole), rest, std::move(carried)) : carried;
}
