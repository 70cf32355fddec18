//===- Attention.cpp -----------------------------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult AttentionOp::verify() { return success(); }

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto query = cast<RankedTensorType>(adaptor.getQuery().getType());
  auto key = cast<RankedTensorType>(adaptor.getKey().getType());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  unsigned queryHeads = adaptor.getQueryLayout() == Layout::Bhsd ? 1 : 2;
  unsigned keyHeads = adaptor.getKeyLayout() == Layout::Bhsd ? 1 : 2;
  int64_t b = query.getDimSize(0), h = query.getDimSize(queryHeads);
  int64_t s = query.getDimSize(3 - queryHeads), d = value.getDimSize(3);
  bool bhsd = adaptor.getResultLayout() == Layout::Bhsd;
  types.push_back(RankedTensorType::get({b, bhsd ? h : s, bhsd ? s : h, d}, query.getElementType()));
  if (adaptor.getWithWeights())
    types.push_back(RankedTensorType::get({b, h, s, key.getDimSize(3 - keyHeads)}, query.getElementType()));
  return success();
}
