//===- RowSelect.cpp - zeroing of inactive rows ---------------------------===//

#include "heddle/RowSelect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// Returns the block argument on which `condition` depends: the condition itself, or x if the condition is x != 0.
/// Returns null if the condition is another expression, or if the argument is neither i1 nor i8.
static BlockArgument findFlag(Value condition) {
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>())
    if (compare.getPredicate() == arith::CmpIPredicate::ne && matchPattern(compare.getRhs(), m_Zero()))
      condition = compare.getLhs();
  auto flag = dyn_cast<BlockArgument>(condition);
  return flag && (flag.getType().isInteger(1) || flag.getType().isInteger(8)) ? flag : BlockArgument();
}

std::optional<RowSelect> heddle::matchRowSelect(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 2 || generic->getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return std::nullopt;
  Block *body = generic.getBody();
  auto select = body->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != body || !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return std::nullopt;
  auto value = dyn_cast<BlockArgument>(select.getTrueValue());
  BlockArgument flag = findFlag(select.getCondition());
  if (!value || !flag || value.getOwner() != body || flag.getOwner() != body || value.getArgNumber() > 1 ||
      flag.getArgNumber() > 1)
    return std::nullopt;
  RowSelect found{generic, generic.getDpsInputOperand(flag.getArgNumber()),
                  generic.getDpsInputOperand(value.getArgNumber()), {}};
  AffineMap active = generic.getMatchingIndexingMap(found.active);
  if (!generic.getMatchingIndexingMap(found.value).isIdentity() ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity() || !active.isProjectedPermutation())
    return std::nullopt;
  for (AffineExpr expr : active.getResults())
    found.dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  return found;
}

linalg::GenericOp heddle::buildRowSelect(OpBuilder &b, Location loc, Value active, ArrayRef<unsigned> dims,
                                         Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> places =
      llvm::map_to_vector(dims, [&](unsigned dim) -> AffineExpr { return b.getAffineDimExpr(dim); });
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap maps[] = {AffineMap::get(rank, 0, places, b.getContext()), identity, identity};
  SmallVector<utils::IteratorType> parallel(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type.getElementType(), 0.0));
  return linalg::GenericOp::create(
      b, loc, type, ValueRange{active, value}, empty, maps, parallel, [&](OpBuilder &body, Location, ValueRange args) {
        Value flag = args[0];
        if (!flag.getType().isInteger(1)) {
          Value none = arith::ConstantOp::create(body, loc, body.getIntegerAttr(flag.getType(), 0));
          flag = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne, flag, none);
        }
        Value kept = arith::SelectOp::create(body, loc, flag, args[1], zero);
        linalg::YieldOp::create(body, loc, kept);
      });
}

bool heddle::selectsRows(LayerOpInterface layer, const RowSelect &select) {
  auto type = cast<RankedTensorType>(layer->getResult(0).getType());
  ArrayRef<unsigned> dims = select.dims;
  for (unsigned row : layer.getResultRows())
    if (!dims.empty() && dims.front() == row)
      dims = dims.drop_front();
    else if (type.getDimSize(row) != 1)
      return false;
  return dims.empty();
}
