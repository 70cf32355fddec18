//===- Affine.cpp - evaluation of affine ops ------------------------------===//

#include "interpreter/Affine.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace heddle;

FailureOr<int64_t> heddle::evaluateExpr(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<int64_t> left = evaluateExpr(binary.getLHS(), dims, symbols);
  FailureOr<int64_t> right = evaluateExpr(binary.getRHS(), dims, symbols);
  if (failed(left) || failed(right))
    return failure();
  // Sums and products are computed in uint64_t, in which overflow wraps around.
  if (expr.getKind() == AffineExprKind::Add)
    return int64_t(uint64_t(*left) + uint64_t(*right));
  if (expr.getKind() == AffineExprKind::Mul)
    return int64_t(uint64_t(*left) * uint64_t(*right));
  if (*right <= 0)
    return failure();
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(*left, *right);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(*left, *right);
  return llvm::mod(*left, *right);
}

/// Returns the value of affine.apply, affine.min or affine.max: the single, smallest or largest result of its map.
/// `operands` are the values of the dimensions, followed by those of the symbols.
static FailureOr<int64_t> choose(Operation *op, AffineMap map, ArrayRef<int64_t> operands) {
  std::optional<int64_t> chosen;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<int64_t> value =
        evaluateExpr(expr, operands.take_front(map.getNumDims()), operands.drop_front(map.getNumDims()));
    if (failed(value))
      return op->emitOpError("divides by a number that is not positive");
    if (!chosen || (isa<affine::AffineMinOp>(op) ? *value < *chosen : *value > *chosen))
      chosen = *value;
  }
  return *chosen;
}

/// Returns the function that evaluates the op for n points of an iteration space at a time (EvaluateInterface.h).
template <typename Op>
static LaneFunction decode(Operation *op, Evaluator &) {
  return [op, map = cast<Op>(op).getMap()](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
    SmallVector<int64_t> operands(in.size());
    for (int64_t lane = 0; lane < n; ++lane) {
      for (auto [operand, column] : llvm::zip_equal(operands, in))
        operand = column.ints[lane];
      FailureOr<int64_t> value = choose(op, map, operands);
      if (failed(value))
        return failure();
      out[0].ints[lane] = *value;
    }
    return success();
  };
}

void heddle::registerAffineModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    attachLanes<affine::AffineApplyOp, decode<affine::AffineApplyOp>>(context);
    attachLanes<affine::AffineMinOp, decode<affine::AffineMinOp>>(context);
    attachLanes<affine::AffineMaxOp, decode<affine::AffineMaxOp>>(context);
  });
}
