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

/// Bounds the indices of tensor.extract, tensor.insert and tensor.dim and the positions of heddle.append in the
/// function `main`.
class LookupBounder {
public:
  explicit LookupBounder(func::FuncOp main) : main(main) {}

  /// Bounds the `indices` with which `op` accesses one element of a tensor of type `type`.
  LogicalResult bound(Operation *op, MutableOperandRange indices, RankedTensorType type);
  /// Bounds the number of the dimension whose extent a tensor.dim returns.
  LogicalResult boundDim(tensor::DimOp dim);
  LogicalResult boundPast(AppendOp append);

private:
  /// If `index`, in the body of a linalg op, is cast from an element of an input tensor of this op, returns the tensor.
  /// Returns null otherwise, and for tensors of bools.
  static Value tensorBehind(Value index);
  void clamp(Operation *op, OpOperand &index, const Dim &extent);
  /// Returns the bounds of the values of `index`; nothing if they are unknown.
  std::optional<IndexBounds> boundsOf(Value index);
  Value lastOf(OpBuilder &b, Operation *op, const Dim &extent);
  LogicalResult boundInput(BlockArgument input, const Dim &extent, Operation *user);

  func::FuncOp main;
  IndexRanges ranges;
  llvm::DenseSet<unsigned> derived; // numbers of the arguments whose `heddle.range` this class has set
};
} // namespace

/// Whether a <= b at all sizes. Returns false if a > b at some size, or if this is unknown. Unlike the comparison
/// operators of Dim, this function does not make the import fail if the result depends on sizes.
static bool isAtMost(const Dim &a, const Dim &b) { return isLess(b, a).number() == 0; }

Value LookupBounder::tensorBehind(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto element = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
  auto op = element ? dyn_cast<linalg::LinalgOp>(element.getOwner()->getParentOp()) : linalg::LinalgOp();
  if (!op || element.getArgNumber() >= op.getNumDpsInputs())
    return {};
  // An i1 that is cast to an index becomes 0 or -1, but IndexRanges describes the values of an i1 as 0 or 1.
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

/// Sets the range (`heddle.range`) of an input of `main` whose elements `user` uses as indices of a dimension with
/// `extent` elements. Emits an error if the module declares a wider range.
LogicalResult LookupBounder::boundInput(BlockArgument input, const Dim &extent, Operation *user) {
  unsigned number = input.getArgNumber();
  auto range = notes::range.get(main, number);
  Dim high = extent - 1;
  if (range && derived.contains(number))
    high = minimum(high, dimOf(range->high));
  else if (range && range->low >= 0 && isAtMost(dimOf(range->high), high))
    return success();
  else if (range)
    return user->emitOpError() << "selects one of " << extent.text() << " elements by argument " << number
                               << " of @main, whose attribute heddle.range allows " << dimOf(range->low).text()
                               << " to " << dimOf(range->high).text();
  derived.insert(number);
  notes::range.set(main, number, {0, numberOf(high)});
  return success();
}

/// Emits the last valid index of a dimension. If this index depends on sizes, the operations that compute it are
/// emitted before the operation of the function body that contains `op`, and thus outside of loops.
Value LookupBounder::lastOf(OpBuilder &b, Operation *op, const Dim &extent) {
  Dim last = extent - 1;
  if (std::optional<int64_t> number = last.number())
    return arith::ConstantIndexOp::create(b, op->getLoc(), *number);
  OpBuilder outside(main.front().findAncestorOpInBlock(*op));
  return emitSize(outside, op->getLoc(), last.asExpression());
}

/// Clamps an index to the nearest valid index, unless the index is known to be valid.
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
      return op->emitOpError() << "accesses an element of " << type << ", which may be empty";
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
    return dim.emitOpError() << "reads the size of a dimension of " << type << ", which has no dimensions";
  clamp(dim, dim.getIndexMutable(), type.getRank());
  return success();
}

/// Ensures that the rows that a heddle.append writes lie inside its state, whatever the inputs of a call are.
LogicalResult LookupBounder::boundPast(AppendOp append) {
  // The last valid position of the first new row.
  Dim room = dimOf(append.getState().getType().getDimSize(2)) - dimOf(append.getInput().getType().getDimSize(2));
  BlockArgument input = IndexRanges::inputBehind(append.getPast());
  if (input && notes::statePast.has(main, input.getArgNumber()))
    // In each call, this input is compared with the numbers of filled rows, which the memory of the state contains.
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
    if (auto dim = dyn_cast<tensor::DimOp>(op)) // the index is the number of a dimension
      return bounder.boundDim(dim);
    if (auto append = dyn_cast<AppendOp>(op))
      return bounder.boundPast(append);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
