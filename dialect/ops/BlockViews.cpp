//===- BlockViews.cpp - views of block-quantized tensors ------------------===//

#include "BlockViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

std::optional<SmallVector<int64_t>> heddle::expandBlock(ArrayRef<int64_t> expanded, ArrayRef<int64_t> block,
                                                        ArrayRef<int64_t> shape,
                                                        ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> result(expanded.size(), 1);
  for (auto [dim, group] : llvm::enumerate(groups)) {
    if (block[dim] >= shape[dim]) {
      for (int64_t part : group)
        result[part] = expanded[part];
      continue;
    }
    int64_t rest = block[dim]; // the factor of the block size that the dimensions not yet visited must cover
    for (int64_t part : llvm::reverse(group)) {
      bool isWhole = rest >= expanded[part];
      int64_t outer = 1; // the product of the sizes of the group's dimensions before `part`
      for (int64_t before : group)
        outer *= before < part ? expanded[before] : 1;
      if (isWhole ? rest % expanded[part] != 0 : expanded[part] % rest != 0 && outer > 1)
        return std::nullopt;
      result[part] = isWhole ? expanded[part] : rest;
      rest = isWhole ? rest / expanded[part] : 1;
    }
  }
  return result;
}

std::optional<SmallVector<int64_t>> heddle::collapseBlock(ArrayRef<int64_t> block, ArrayRef<int64_t> shape,
                                                          ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> result;
  for (const ReassociationIndices &group : groups) {
    int64_t &collapsed = result.emplace_back(1), elements = 1;
    bool isInside = true; // whether all dimensions so far lie entirely in one block
    for (int64_t part : llvm::reverse(group)) {
      bool isWhole = block[part] >= shape[part];
      if (!isInside && shape[part] > 1 && (block[part] != 1 || elements % collapsed != 0))
        return std::nullopt;
      if (isInside)
        collapsed *= std::min(block[part], shape[part]);
      elements *= shape[part];
      isInside &= isWhole;
    }
  }
  return result;
}

/// Returns the largest known divisor of the expression; 0 if the expression is known to be 0. `operands` contains a
/// known divisor of each of the map's `dims` dimensions, followed by a known divisor of each of the map's symbols.
static int64_t divisorOf(AffineExpr expr, ArrayRef<int64_t> operands, unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(expr);
  int64_t a = divisorOf(both.getLHS(), operands, dims), b = divisorOf(both.getRHS(), operands, dims);
  auto constant = dyn_cast<AffineConstantExpr>(both.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return std::gcd(a, b);
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return std::gcd(a, b);
  default: // a quotient
    return constant && b && a % b == 0 ? a / b : 1;
  }
}

/// Returns a common divisor of all results of the map for these operands.
static int64_t divisorOf(AffineMap map, ValueRange operands) {
  SmallVector<int64_t> known = llvm::map_to_vector(operands, [](Value value) { return knownDivisor(value); });
  int64_t divisor = 0; // a divisor of all results also divides their minimum and maximum (affine.min, affine.max)
  for (AffineExpr expr : map.getResults())
    divisor = std::gcd(divisor, divisorOf(expr, known, map.getNumDims()));
  return divisor;
}

int64_t heddle::knownDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    auto lower = loop ? loop.getLoopLowerBounds() : std::nullopt, steps = loop ? loop.getLoopSteps() : std::nullopt;
    if (variables && lower && steps)
      for (auto [variable, first, step] : llvm::zip_equal(*variables, *lower, *steps))
        if (variable == value)
          return std::gcd(knownDivisor(first), knownDivisor(step));
    return 1;
  }
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto op) { return divisorOf(op.getAffineMap(), op.getOperands()); })
      .Case([](arith::MulIOp op) { return knownDivisor(op.getLhs()) * knownDivisor(op.getRhs()); })
      .Case([](arith::AddIOp op) { return std::gcd(knownDivisor(op.getLhs()), knownDivisor(op.getRhs())); })
      .Default([](Operation *) { return int64_t(1); });
}

std::optional<Span> heddle::spanOfBlocks(OpBuilder &b, Location loc, const Span &span, int64_t all, int64_t block) {
  if (block == 1)
    return span;
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  if (!ShapedType::isDynamic(all) && block >= all)
    return Span{zero, one, one};
  std::optional<int64_t> size = getConstantIntValue(span.size);
  if (size == 1) { // a single element lies in one block, whatever its offset
    OpFoldResult number = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).floorDiv(block), {span.offset});
    return Span{number, one, one};
  }
  if (getConstantIntValue(span.stride) != 1)
    return std::nullopt;
  int64_t divisor = knownDivisor(span.offset);
  // `begins`: the span starts at the beginning of a block; `stays`: the span lies in a single block.
  bool begins = divisor % block == 0, stays = size && *size > 0 && block % *size == 0 && divisor % *size == 0;
  if (!begins && !stays)
    return std::nullopt;
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult number = affine::makeComposedFoldedAffineApply(b, loc, d0.floorDiv(block), {span.offset});
  OpFoldResult count = affine::makeComposedFoldedAffineApply(b, loc, d0.ceilDiv(block), {span.size});
  return Span{number, count, one};
}
