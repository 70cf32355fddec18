//===- BoundLookups.cpp - no element outside a tensor ---------------------===//

#include "BoundLookups.h"

#include "onnx/IndexRange.h"

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

  LogicalResult bound(tensor::ExtractOp extract);

private:
  /// The tensor whose elements `index` takes as an integer, inside a linalg op.
  static Value tensorBehind(Value index);
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
  Value operand = op.getDpsInputOperand(element.getArgNumber())->get();
  return isa<RankedTensorType>(operand.getType()) ? operand : Value();
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
  auto range = main.getArgAttrOfType<DenseI64ArrayAttr>(number, "heddle.range");
  int64_t low = 0, high = extent - 1;
  if (range && derived.contains(number))
    high = std::min(high, range[1]);
  else if (range && range[0] >= low && range[1] <= high)
    return success();
  else if (range)
    return user->emitOpError() << "argument " << number << " may be " << range[0] << " to " << range[1]
                               << " by its heddle.range, but picks one of " << extent << " elements";
  derived.insert(number);
  main.setArgAttr(number, "heddle.range", Builder(main).getDenseI64ArrayAttr({low, high}));
  return success();
}

LogicalResult LookupBounder::bound(tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  for (OpOperand &index : extract.getIndicesMutable()) {
    int64_t extent = type.getDimSize(index.getOperandNumber() - 1); // after the tensor
    if (extent == 0)
      return extract.emitOpError() << "there is nothing to extract from " << type;
    Value tensor = tensorBehind(index.get());
    BlockArgument input = tensor ? IndexRanges::inputBehind(tensor) : BlockArgument();
    if (input && input.getOwner() == &main.front()) {
      if (failed(boundInput(input, extent, extract)))
        return failure();
      continue;
    }
    std::optional<Interval> bounds = boundsOf(index.get());
    if (bounds && bounds->low >= 0 && bounds->high < extent)
      continue;
    OpBuilder b(extract);
    Location loc = extract.getLoc();
    Value first = arith::ConstantIndexOp::create(b, loc, 0);
    Value last = arith::ConstantIndexOp::create(b, loc, extent - 1);
    Value atLeast = arith::MaxSIOp::create(b, loc, index.get(), first);
    index.set(arith::MinSIOp::create(b, loc, atLeast, last));
  }
  return success();
}

LogicalResult heddle::boundLookups(func::FuncOp main) {
  LookupBounder bounder(main);
  WalkResult walked = main->getParentOfType<ModuleOp>().walk(
      [&](tensor::ExtractOp extract) { return WalkResult(bounder.bound(extract)); });
  return failure(walked.wasInterrupted());
}
