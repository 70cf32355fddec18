//===- RecurrentAttention.cpp - constraints of recurrent_attention --------===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

/// Verifies that the first dimensions of `value`, one for each of `sizes`, equal those of key. In the error message,
/// `operand` names `value`, and `sizes` name the dimensions.
static LogicalResult expectAsKey(RecurrentAttentionOp op, StringRef label, StringRef operand, Value value,
                                 ArrayRef<StringRef> sizes) {
  for (auto [i, what] : llvm::enumerate(sizes))
    if (failed(expectSize(op, label, operand, what, shapeOf(value)[i], shapeOf(op.getKey())[i], "key")))
      return failure();
  return success();
}

/// Verifies that the size `found` of a dimension is `expected`, or 1 (then the dimension is broadcast). `what` names
/// the dimension and `source` the operand that determines `expected` in the error message.
static LogicalResult expectOneOr(RecurrentAttentionOp op, StringRef label, StringRef operand, StringRef what,
                                 int64_t found, int64_t expected, StringRef source) {
  return found == 1 ? success() : expectSize(op, label, operand, what, found, expected, source);
}

LogicalResult RecurrentAttentionOp::verifyConstraints() {
  Value query = getQuery(), key = getKey(), value = getValue(), decay = getDecay(), beta = getBeta();
  const std::pair<StringRef, Value> operands[] = {{"query", query}, {"key", key},   {"value", value},
                                                  {"decay", decay}, {"beta", beta}, {"state", getState()}};
  for (auto [name, operand] : operands)
    if (failed(expectRank(*this, "C1", name, operand, 4, 4)))
      return failure();
  if (failed(expectElementType(*this, "C1", operands)))
    return failure();
  ArrayRef<int64_t> qs = shapeOf(query), ks = shapeOf(key), vs = shapeOf(value);
  if (failed(expectSize(*this, "C2", "key", "batch size", ks[0], qs[0], "query")) ||
      failed(expectSize(*this, "C2", "key", "number of positions", ks[1], qs[1], "query")) ||
      failed(expectSize(*this, "C2", "key", "head size", ks[3], qs[3], "query")))
    return failure();
  if (!isDynamic(qs[2]) && !isDynamic(ks[2]) && (ks[2] == 0 || qs[2] % ks[2] != 0))
    return emitOpError("query has ") << qs[2] << " heads, expected a multiple of key's " << ks[2] << " (C2)";
  if (failed(expectAsKey(*this, "C3", "value", value, {"batch size", "number of positions", "number of heads"})))
    return failure();
  if (decay &&
      (failed(expectAsKey(*this, "C4", "decay", decay, {"batch size", "number of positions", "number of heads"})) ||
       failed(expectOneOr(*this, "C4", "decay", "last dimension", shapeOf(decay)[3], ks[3], "key"))))
    return failure();
  if (beta && (failed(expectAsKey(*this, "C5", "beta", beta, {"batch size", "number of positions"})) ||
               failed(expectOneOr(*this, "C5", "beta", "number of heads", shapeOf(beta)[2], ks[2], "key")) ||
               failed(expectSize(*this, "C5", "beta", "last dimension", shapeOf(beta)[3], 1, "[.., 1]"))))
    return failure();
  return expectShape(*this, "C6", "state", getState(), {ks[0], ks[2], ks[3], vs[3]});
}

LogicalResult RecurrentAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> query = shapeOf(adaptor.getQuery()), key = shapeOf(adaptor.getKey()),
                    value = shapeOf(adaptor.getValue());
  if (query.size() != 4 || key.size() != 4 || value.size() != 4)
    return emitOptionalError(location, "query, key and value must have rank 4 (C1)");
  int64_t batch = refine(query[0], key[0]);
  Type element = getElementTypeOrSelf(adaptor.getQuery());
  types.push_back(RankedTensorType::get({batch, refine(query[1], key[1]), query[2], value[3]}, element));
  types.push_back(RankedTensorType::get({batch, key[2], refine(key[3], query[3]), value[3]}, element));
  return success();
}

bool RecurrentAttentionOp::isCompatibleReturnTypes(TypeRange a, TypeRange b) { return areCompatible(a, b); }

ArrayRef<OperandRole> RecurrentAttentionOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Query, OperandRole::Key,  OperandRole::Value,
                                          OperandRole::Gate,  OperandRole::Gate, OperandRole::State};
  return roles;
}

/// A row consists of all heads of a position, as in the result of the projection that computes the query.
SmallVector<unsigned> RecurrentAttentionOp::getResultRows() { return {0, 1}; }

OperandRows RecurrentAttentionOp::getOperandRows(OpOperand &operand) {
  if (getOperandRole(operand) == OperandRole::State)
    return {};
  // A row of the result depends on one row of the query, but on rows of other operands at all positions up to its own.
  return {getResultRows(), /*rowwise=*/&operand == &getQueryMutable()};
}

/// Counts the multiply-adds of the state's update, of the product of the state with each query head and, with beta, of
/// the product of the state with the keys.
double RecurrentAttentionOp::getMultiplyAdds() {
  int64_t width = shapeOf(getValue())[3];
  if (isDynamic(width))
    return 0;
  return (countElements(getKey()) * (getBeta() ? 2 : 1) + countElements(getQuery())) * double(width);
}

/// Counts the products of the state with the decays.
double RecurrentAttentionOp::getOtherOperations() {
  int64_t width = shapeOf(getValue())[3];
  return getDecay() && !isDynamic(width) ? countElements(getKey()) * double(width) : 0;
}
