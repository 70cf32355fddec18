//===- LinearAttention.cpp - constraints and types of linear_attention ----===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult LinearAttentionOp::verifyConstraints() {
  Value query = getQuery(), key = getKey(), value = getValue();
  int64_t rank = shapeOf(query).size();
  if (failed(expectRank(*this, "C1", "query", query, 2, INT64_MAX)) ||
      failed(expectRank(*this, "C1", "key", key, rank, rank)) ||
      failed(expectRank(*this, "C1", "value", value, rank, rank)) ||
      failed(expectElementType(*this, "C1", {{"query", query}, {"key", key}, {"value", value}})))
    return failure();
  ArrayRef<int64_t> qs = shapeOf(query), ks = shapeOf(key), vs = shapeOf(value);
  for (int64_t i = 0; i < rank - 2; ++i) {
    std::string what = "leading dimension #" + std::to_string(i);
    if (failed(expectSize(*this, "C2", "key", what, ks[i], qs[i], "query")) ||
        failed(expectSize(*this, "C2", "value", what, vs[i], qs[i], "query")))
      return failure();
  }
  if (failed(expectSize(*this, "C3", "key", "head size", ks[rank - 1], qs[rank - 1], "query")))
    return failure();
  return expectSize(*this, "C4", "value", "number of positions", vs[rank - 2], ks[rank - 2], "key");
}

LogicalResult LinearAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> query = shapeOf(adaptor.getQuery()), key = shapeOf(adaptor.getKey()),
                    value = shapeOf(adaptor.getValue());
  if (query.size() < 2 || key.size() != query.size() || value.size() != query.size())
    return emitOptionalError(location, "query, key and value must have one rank, at least 2 (C1)");
  SmallVector<int64_t> shape(query);
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    shape[i] = refine(refine(shape[i], key[i]), value[i]);
  shape.back() = value.back();
  types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(adaptor.getQuery())));
  return success();
}

bool LinearAttentionOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> LinearAttentionOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Query, OperandRole::Key, OperandRole::Value};
  return roles;
}

OperandRows LinearAttentionOp::getOperandRows(OpOperand &operand) {
  // A row of the result depends on one row of the query, but on all rows of key and value (rowwise is false for these).
  return {getResultRows(), /*rowwise=*/&operand == &getQueryMutable()};
}

/// Counts the multiply-adds of M = key^T value and of query x M.
double LinearAttentionOp::getMultiplyAdds() {
  int64_t width = shapeOf(getValue()).back();
  return isDynamic(width) ? 0 : (countElements(getKey()) + countElements(getQuery())) * double(width);
}
