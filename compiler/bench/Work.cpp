//===- Work.cpp - operations and bytes of kernels -------------------------===//

#include "Work.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

/// Returns the number of elements of a tensor, or 0 for other values and dynamic shapes.
static double elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? double(type.getNumElements()) : 0;
}

/// Returns the size of a tensor in bytes, or 0 for other types and dynamic shapes. Each element has at least one byte.
static double bytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  return double(tensor.getNumElements()) * std::max(1.0, tensor.getElementTypeBitWidth() / 8.0);
}

/// Returns the number of points of the iteration space, or 0 if one of its ranges is dynamic.
static double countIterations(linalg::LinalgOp op) {
  double points = 1;
  for (int64_t range : op.getStaticLoopRanges())
    points *= ShapedType::isDynamic(range) ? 0 : double(range);
  return points;
}

/// Counts the floating-point operations in the body of an operation, multiplied by the number of points of the
/// iteration space.
static double countElementwise(linalg::LinalgOp op) {
  double operations = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool isFloat = inner.getNumResults() == 1 && isa<FloatType>(inner.getResult(0).getType());
    StringRef dialect = inner.getDialect() ? inner.getDialect()->getNamespace() : "";
    if (isFloat && inner.getNumOperands() && (dialect == "arith" || dialect == "math"))
      ++operations;
  }
  return countIterations(op) * operations;
}

/// Counts the operations of the matrix products in a layer, or of a contraction. Returns 0 for other operations.
static double countProducts(Operation *op) {
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    return 2 * layer.getMultiplyAdds();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp) ? countElementwise(linalgOp) : 0;
}

/// Counts the operations that countProducts does not count.
static double countOther(Operation *op) {
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    return layer.getOtherOperations();
  if (isa<linalg::SoftmaxOp>(op))
    return 4 * elements(op->getResult(0)); // a softmax counts as four operations for each element
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && !linalg::isaContractionOpInterface(linalgOp) ? countElementwise(linalgOp) : 0;
}

Work heddle::bench::countFlops(func::FuncOp function) {
  Work work;
  for (Operation &op : function.front()) {
    Work inside;
    inside.products = countProducts(&op);
    inside.flops = inside.products + countOther(&op);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
      if (callee && !callee.isDeclaration())
        inside = countFlops(callee);
    }
    work.products += inside.products;
    work.flops += inside.flops;
  }
  return work;
}

/// Returns whether `value` is used only as a table from which single elements are extracted, such as the table of an
/// embedding. A kernel reads only the extracted elements.
static bool isTable(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) { return isa<tensor::ExtractOp>(user); });
}

Work heddle::bench::kernelWork(func::FuncOp kernel) {
  Work work = countFlops(kernel);
  for (Type type : kernel.getResultTypes())
    work.bytesWritten += bytes(type);
  for (BlockArgument argument : kernel.getArguments().drop_back(kernel.getNumResults())) {
    double size = bytes(argument.getType());
    work.bytesRead += isTable(argument) ? std::min(size, work.bytesWritten) : size;
  }
  return work;
}

/// Returns the number of bytes that kernels read from a value of @main: all of its bytes or, for a table, the bytes of
/// the elements that are looked up.
static double bytesRead(Value value) {
  double size = bytes(value.getType()), looked = 0; // `looked`: the size of the elements that are looked up
  for (OpOperand &use : value.getUses()) {
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : nullptr;
    if (!callee || callee.isDeclaration() || !isTable(callee.getArgument(use.getOperandNumber())))
      return size;
    for (Type type : callee.getResultTypes())
      looked += bytes(type);
  }
  return std::min(size, looked);
}

Work heddle::bench::modelWork(func::FuncOp main) {
  Work work = countFlops(main);
  for (BlockArgument argument : main.getArguments())
    work.bytesRead += bytesRead(argument);
  main.walk([&](WeightOp weight) { work.bytesRead += bytesRead(weight.getResult()); });
  for (Type type : main.getResultTypes())
    work.bytesWritten += bytes(type);
  return work;
}
