//===- NarrowConstants.cpp - removes repetition from constants ------------===//

#include "NarrowConstants.h"

#include "module/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// The number of leading dimensions along which all slices are equal.
static int64_t countRepeating(ArrayRef<char> bytes, ArrayRef<int64_t> shape) {
  int64_t count = 0;
  for (int64_t extent : shape) {
    ArrayRef<char> first = bytes.take_front(bytes.size() / extent);
    for (int64_t i = 1; i < extent; ++i)
      if (bytes.slice(i * first.size(), first.size()) != first)
        return count;
    bytes = first;
    ++count;
  }
  return count;
}

/// Broadcasts `value` to the shape of `type`; `added` are the new dimensions.
static Value broadcast(OpBuilder &b, Location loc, Value value, RankedTensorType type, ArrayRef<int64_t> added) {
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::BroadcastOp::create(b, loc, value, init, added)->getResult(0);
}

/// Returns the new dimensions of the broadcast after the first `count` dimensions of its operand are removed.
static Numbers addedWithout(linalg::BroadcastOp op, int64_t count) {
  Numbers added(op.getDimensions());
  for (int64_t dim = 0; count > 0; ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim)) {
      added.push_back(dim);
      --count;
    }
  llvm::sort(added);
  return added;
}

/// Replaces a constant that consists of equal slices by a broadcast of one slice. Each broadcast of the constant is
/// replaced by a single broadcast of the slice.
static void narrow(arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.isSplat() || elements.empty() || elements.getNumElements() > foldLimit)
    return;
  auto type = cast<RankedTensorType>(elements.getType());
  std::vector<char> bytes = bytesOf(elements);
  int64_t count = countRepeating(bytes, type.getShape());
  if (llvm::all_of(type.getShape().take_front(count), [](int64_t extent) { return extent == 1; }))
    return;
  auto narrowType = RankedTensorType::get(type.getShape().drop_front(count), type.getElementType());
  bytes.resize(bytes.size() / (type.getNumElements() / narrowType.getNumElements()));
  OpBuilder b(op);
  Value once = arith::ConstantOp::create(b, op.getLoc(), fromBytes(narrowType, bytes));
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto wide = dyn_cast<linalg::BroadcastOp>(user); wide && wide.getInput() == op.getResult()) {
      b.setInsertionPoint(wide);
      auto result = cast<RankedTensorType>(wide->getResult(0).getType());
      wide->replaceAllUsesWith(ValueRange{broadcast(b, wide.getLoc(), once, result, addedWithout(wide, count))});
      wide->erase();
    }
  if (!op.use_empty()) {
    b.setInsertionPoint(op);
    op.replaceAllUsesWith(broadcast(b, op.getLoc(), once, type, llvm::to_vector(llvm::seq<int64_t>(0, count))));
  }
  op.erase();
}

void heddle::onnx::narrowConstants(func::FuncOp func) {
  for (auto op : llvm::make_early_inc_range(func.getOps<arith::ConstantOp>()))
    narrow(op);
}
