//===- BoundLookups.cpp - no element outside a tensor ---------------------===//

#include "BoundLookups.h"

#include "onnx/IndexRange.h"

#include "Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using onnx::IndexRanges;
using onnx::Interval;

namespace {
class LookupBounder {
public:
  explicit LookupBounder(func::FuncOp main) : main(main) {}

  /// `indices` of `op` are those of one element of a tensor of this type.
  LogicalResult bound(Operation *op, MutableOperandRange indices, RankedTensorType type);
  LogicalResult boundDim(tensor::DimOp dim);

private:
  /// The tensor whose elements `index` takes as an integer, inside a linalg op.
  static Value tensorBehind(Value index);
  void clamp(Operation *op, OpOperand &index, int64_t extent);
  std::optional<Interval> boundsOf(Value index);
  LogicalResult boundInput(BlockArgument input, int64_t extent, Operation *user);

  func::FuncOp main;
  IndexRanges ranges;
  llvm::DenseSet<unsigned> derived; // arguments whose range is ours
};
} // namespace

Value LookupBounder::tensorBehind(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto element = cast ? dyn_cast<BlockArgument>(cast.getIn()) : BlockArgument();
  auto op = element ? dyn_cast<linalg::LinalgOp>(element.getOwner()->getParentOp()) : linalg::LinalgOp();
  if (!op || element.getArgNumber() >= op.getNumDpsInputs())
    return {};
  // As an index, an i1 is 0 or -1.
  Value operand = op.getDpsInputOperand(element.getArgNumber())->get();
  return isa<RankedTensorType>(operand.getType()) && !element.getType().isInteger(1) ? operand : Value();
}

std::optional<Interval> LookupBounder::boundsOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Interval{*constant, *constant};
  if (auto position = index.getDefiningOp<linalg::IndexOp>())
    if (auto op = position->getParentOfType<linalg::LinalgOp>()) {
      int64_t extent = op.getStaticLoopRanges()[position.getDim()];
      return Interval{0, extent - 1};
    }
  if (Value tensor = tensorBehind(index))
    return ranges.of(tensor);
  return std::nullopt;
}

LogicalResult LookupBounder::boundInput(BlockArgument input, int64_t extent, Operation *user) {
  unsigned number = input.getArgNumber();
  auto range = notes::range.get(main, number);
  int64_t low = 0, high = extent - 1;
  if (range && derived.contains(number))
    high = std::min(high, range->high);
  else if (range && range->low >= low && range->high <= high)
    return success();
  else if (range)
    return user->emitOpError() << "argument " << number << " may be " << range->low << " to " << range->high
                               << " by its heddle.range, but picks one of " << extent << " elements";
  derived.insert(number);
  notes::range.set(main, number, {low, high});
  return success();
}

void LookupBounder::clamp(Operation *op, OpOperand &index, int64_t extent) {
  std::optional<Interval> bounds = boundsOf(index.get());
  if (bounds && bounds->low >= 0 && bounds->high < extent)
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value last = arith::ConstantIndexOp::create(b, loc, extent - 1);
  Value atLeast = arith::MaxSIOp::create(b, loc, index.get(), first);
  index.set(arith::MinSIOp::create(b, loc, atLeast, last));
}

LogicalResult LookupBounder::bound(Operation *op, MutableOperandRange indices, RankedTensorType type) {
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t extent = type.getDimSize(dim);
    if (extent == 0)
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

LogicalResult heddle::boundLookups(func::FuncOp main) {
  LookupBounder bounder(main);
  WalkResult walked = main.walk([&](Operation *op) -> WalkResult {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return bounder.bound(op, extract.getIndicesMutable(), extract.getTensor().getType());
    if (auto insert = dyn_cast<tensor::InsertOp>(op))
      return bounder.bound(op, insert.getIndicesMutable(), insert.getDest().getType());
    if (auto dim = dyn_cast<tensor::DimOp>(op)) // not of an element, but read from a list of sizes
      return bounder.boundDim(dim);
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
