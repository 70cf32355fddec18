//===- BoundLookups.cpp - keeps indices inside their tensors --------------===//

#include "BoundLookups.h"

#include "module/IndexRange.h"
#include "sizes/EmitSizes.h"

#include "Heddle.h"
#include "Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The smallest and the largest value of an index.
struct IndexBounds {
  Dim low, high;
};

/// Bounds the indices in one function.
class LookupBounder {
public:
  explicit LookupBounder(func::FuncOp main) : main(main) {}

  /// Bounds the `indices` of one element of a tensor of type `type` that `op` accesses.
  LogicalResult bound(Operation *op, MutableOperandRange indices, RankedTensorType type);
  /// Bounds the index of the dimension that a tensor.dim returns.
  LogicalResult boundDim(tensor::DimOp dim);
  LogicalResult boundPast(AppendOp append);

private:
  /// Returns the integer tensor whose elements are the index `index` in a linalg op; null if there is none.
  static Value tensorBehind(Value index);
  void clamp(Operation *op, OpOperand &index, const Dim &extent);
  std::optional<IndexBounds> boundsOf(Value index);
  Value lastOf(OpBuilder &b, Operation *op, const Dim &extent);
  LogicalResult boundInput(BlockArgument input, const Dim &extent, Operation *user);

  func::FuncOp main;
  IndexRanges ranges;
  llvm::DenseSet<unsigned> derived; // arguments whose range was derived here
};
} // namespace

/// Whether a <= b at all sizes. Returns false if the result depends on sizes. Unlike operators on Dim, this comparison
/// never makes the import fail.
static bool isAtMost(const Dim &a, const Dim &b) { return isLess(b, a).number() == 0; }

Value LookupBounder::tensorBehind(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto element = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
  auto op = element ? dyn_cast<linalg::LinalgOp>(element.getOwner()->getParentOp()) : linalg::LinalgOp();
  if (!op || element.getArgNumber() >= op.getNumDpsInputs())
    return {};
  // An i1 that is cast to an index becomes 0 or -1, so its values are not bounded here.
  Value operand = op.getDpsInputOperand(element.getArgNumber())->get();
  return isa<RankedTensorType>(operand.getType()) && !element.getType().isInteger(1) ? operand : Value();
}

std::optional<IndexBounds> LookupBounder::boundsOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return IndexBounds{*constant, *constant};
  if (auto position = index.getDefiningOp<linalg::IndexOp>())
    if (auto op = position->getParentOfType<linalg::LinalgOp>())
      return IndexBounds{0, dimOf(op.getStaticLoopRanges()[position.getDim()]) - 1};
  if (Value tensor = tensorBehind(index))
    if (std::optional<Interval> interval = ranges.of(tensor))
      return IndexBounds{interval->low, interval->high};
  return std::nullopt;
}

/// Sets the range of an input of `main` whose elements `user` uses as indices of a dimension with `extent` elements.
LogicalResult LookupBounder::boundInput(BlockArgument input, const Dim &extent, Operation *user) {
  unsigned number = input.getArgNumber();
  auto range = notes::range.get(main, number);
  Dim high = extent - 1;
  if (range && derived.contains(number))
    high = minimum(high, dimOf(range->high));
  else if (range && range->low >= 0 && isAtMost(dimOf(range->high), high))
    return success();
  else if (range)
    return user->emitOpError() << "argument " << number << " may be " << dimOf(range->low).text() << " to "
                               << dimOf(range->high).text() << " by its heddle.range, but selects one of "
                               << extent.text() << " elements";
  derived.insert(number);
  notes::range.set(main, number, {0, numberOf(high)});
  return success();
}

/// Emits the last valid index of a dimension. If it depends on sizes, the operations that compute it are emitted
/// outside of loops.
Value LookupBounder::lastOf(OpBuilder &b, Operation *op, const Dim &extent) {
  Dim last = extent - 1;
  if (std::optional<int64_t> number = last.number())
    return arith::ConstantIndexOp::create(b, op->getLoc(), *number);
  OpBuilder outside(main.front().findAncestorOpInBlock(*op));
  return emitSize(outside, op->getLoc(), last.asExpression());
}

/// Clamps an index that may be invalid to the nearest valid index.
void LookupBounder::clamp(Operation *op, OpOperand &index, const Dim &extent) {
  std::optional<IndexBounds> bounds = boundsOf(index.get());
  if (bounds && isAtMost(0, bounds->low) && isAtMost(bounds->high, extent - 1))
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value last = lastOf(b, op, extent);
  Value atLeast = arith::MaxSIOp::create(b, loc, index.get(), first);
  index.set(arith::MinSIOp::create(b, loc, atLeast, last));
}

LogicalResult LookupBounder::bound(Operation *op, MutableOperandRange indices, RankedTensorType type) {
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Dim extent = dimOf(type.getDimSize(dim));
    if (extent.low() == 0)
      return op->emitOpError() << "there is no element in " << type;
    Value tensor = tensorBehind(index.get());
    BlockArgument input = tensor ? IndexRanges::inputBehind(tensor) : BlockArgument();
    bool isBool = input && getElementTypeOrSelf(input.getType()).isInteger(1);
    if (input && input.getOwner() == &main.front() && !isBool) {
      if (failed(boundInput(input, extent, op)))
        return failure();
      continue;
    }
    clamp(op, index, extent);
  }
  return success();
}

LogicalResult LookupBounder::boundDim(tensor::DimOp dim) {
  auto type = cast<RankedTensorType>(dim.getSource().getType());
  if (type.getRank() == 0)
    return dim.emitOpError() << "there is no dimension in " << type;
  clamp(dim, dim.getIndexMutable(), type.getRank());
  return success();
}

/// Ensures that the appended rows lie inside the state for all inputs of a call.
LogicalResult LookupBounder::boundPast(AppendOp append) {
  Dim room = dimOf(append.getState().getType().getDimSize(2)) - dimOf(append.getInput().getType().getDimSize(2));
  BlockArgument input = IndexRanges::inputBehind(append.getPast());
  if (input && notes::statePast.has(main, input.getArgNumber()))
    // Each call compares this input with the numbers of filled rows in the header of the state.
    return success();
  if (room.low() < 0)
    return append->emitOpError() << "has more new rows than the capacity of its state at some sizes";
  if (input && input.getOwner() == &main.front())
    return boundInput(input, room + 1, append);
  std::optional<Interval> interval = ranges.of(append.getPast());
  if (interval && isAtMost(0, interval->low) && isAtMost(interval->high, room))
    return success();
  return append->emitOpError() << "appends at computed positions, which have no bounds: use heddle.checked_index with "
                               << "extent " << (room + 1).text();
}

LogicalResult heddle::boundLookups(func::FuncOp main) {
  LookupBounder bounder(main);
  WalkResult walked = main.walk([&](Operation *op) -> WalkResult {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return bounder.bound(op, extract.getIndicesMutable(), extract.getTensor().getType());
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return bounder.bound(op, insert.getIndicesMutable(), insert.getDest().getType());
    if (auto dim = dyn_cast<tensor::DimOp>(op)) // its index is the number of a dimension, not of an element
      return bounder.boundDim(dim);
    if (auto append = dyn_cast<AppendOp>(op))
      return bounder.boundPast(append);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
