//===- LinearAttention.cpp -----------------------------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult LinearAttentionOp::verify() { return success(); }

LogicalResult LinearAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  auto query = cast<RankedTensorType>(adaptor.getQuery().getType());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = value.getShape().back();
  types.push_back(RankedTensorType::get(shape, query.getElementType()));
  return success();
}
