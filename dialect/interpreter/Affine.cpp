//===- Affine.cpp - models of affine maps applied to indices --------------===//

#include "interpreter/Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace heddle;

static FailureOr<SmallVector<int64_t>> apply(Operation *op, AffineMap map, ArrayRef<Tensor> operands) {
  SmallVector<Attribute> constants, folded;
  for (const Tensor &operand : operands)
    constants.push_back(IntegerAttr::get(IndexType::get(op->getContext()), operand.ints()[0]));
  if (failed(map.constantFold(constants, folded)))
    return op->emitOpError("divides by zero");
  SmallVector<int64_t> values;
  for (Attribute value : folded)
    values.push_back(cast<IntegerAttr>(value).getInt());
  return values;
}

template <typename Op>
static LogicalResult evaluateMap(Op op, MutableArrayRef<Tensor> operands, Evaluator &,
                                 SmallVectorImpl<Tensor> &results) {
  FailureOr<SmallVector<int64_t>> values = apply(op, op.getMap(), operands);
  if (failed(values))
    return failure();
  int64_t value = values->front();
  if constexpr (std::is_same_v<Op, affine::AffineMinOp>)
    value = *llvm::min_element(*values);
  else if constexpr (std::is_same_v<Op, affine::AffineMaxOp>)
    value = *llvm::max_element(*values);
  results.push_back(Tensor({}, op.getType(), std::vector<int64_t>{value}));
  return success();
}

void heddle::registerAffineModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    attach<affine::AffineApplyOp, evaluateMap<affine::AffineApplyOp>>(context);
    attach<affine::AffineMinOp, evaluateMap<affine::AffineMinOp>>(context);
    attach<affine::AffineMaxOp, evaluateMap<affine::AffineMaxOp>>(context);
  });
}
