//===- KnownSizes.cpp - scalars computed from sizes -----------------------===//

#include "KnownSizes.h"

#include "sizes/EmitSizes.h"
#include "sizes/IntegerArithmetic.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

std::optional<Dim> KnownSizes::of(Value value) const {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  APInt number;
  if (!value.getType().isIntOrIndex() || !matchPattern(value, m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return std::nullopt;
  return Dim(number.getBitWidth() == 1 ? int64_t(number.getZExtValue()) : number.getSExtValue());
}

std::optional<Dim> KnownSizes::of(OpFoldResult value) const {
  if (auto operand = dyn_cast<Value>(value))
    return of(operand);
  return dimOf(*getConstantIntValue(value));
}

/// Replaces the only result of `op` and erases `op`.
static void replace(Operation *op, Value by) {
  op->getResult(0).replaceAllUsesWith(by);
  op->erase();
}

/// Folds a tensor.dim whose extent depends on sizes. The extent is computed outside of loops, because the importer
/// emits no operations on sizes into bodies of linalg ops.
bool KnownSizes::foldDim(Operation *op) {
  auto dim = cast<tensor::DimOp>(op);
  std::optional<int64_t> index = dim.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  if (!type || !index || *index < 0 || *index >= type.getRank() || type.isDynamicDim(unsigned(*index)))
    return false;
  Dim extent = dimOf(type.getDimSize(unsigned(*index)));
  if (extent.isFixed())
    return false; // the caller folds the operation like any other operation on constants
  OpBuilder b(main.front().findAncestorOpInBlock(*op));
  Value value = emitSize(b, op->getLoc(), extent.asExpression());
  known.insert_or_assign(value, extent);
  replace(op, value);
  return true;
}

/// Folds `op` if it is a tensor.dim or if all its operands are constants. Returns whether `op` was folded.
static bool foldConstants(Operation *op) {
  bool isDim = isa<tensor::DimOp>(op);
  if (!isDim && !llvm::all_of(op->getOperands(), [](Value value) { return matchPattern(value, m_Constant()); }))
    return false;
  OpBuilder b(op);
  SmallVector<Value> results;
  if (failed(b.tryFold(op, results)) || results.front() == op->getResult(0))
    return false;
  replace(op, results.front());
  return true;
}

bool KnownSizes::visit(Operation *op) {
  if (auto size = dyn_cast<SizeOp>(op); size && SizeScope::current()) {
    for (auto [i, scoped] : llvm::enumerate(SizeScope::current()->all()))
      if (scoped.name == size.getName())
        known.insert_or_assign(size.getResult(), Dim(SizeExpression::size(unsigned(i))));
    return false;
  }
  bool isDim = isa<tensor::DimOp>(op);
  if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumRegions() || op->getNumResults() != 1 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat() || !(isDim || isa<arith::ArithDialect>(op->getDialect())))
    return false;
  if ((isDim && foldDim(op)) || foldConstants(op))
    return true;
  if (!SizeScope::current() || isDim)
    return false;
  SmallVector<SizeExpression> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Dim> dim = of(operand);
    if (!dim)
      return false;
    operands.push_back(dim->asExpression());
  }
  std::optional<SizeExpression> result = computeInteger(op, operands);
  if (!result)
    return false;
  std::optional<int64_t> number = result->number();
  if (!number) {
    known.insert_or_assign(op->getResult(0), Dim(*result));
    return false;
  }
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  replace(op, arith::ConstantOp::create(b, op->getLoc(), b.getIntegerAttr(type, *number)));
  return true;
}

void KnownSizes::eraseUnused() {
  known.clear();
  SmallVector<Operation *> ops;
  main.walk([&](Operation *op) {
    bool isInteger = op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex();
    if (isInteger && isa<arith::ArithDialect, HeddleDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}
