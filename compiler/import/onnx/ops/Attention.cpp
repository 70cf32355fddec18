//===- Attention.cpp - the ONNX operator Attention ------------------------===//
//
// The operator becomes one heddle.attention; if the scores before the softmax are an output, other operations compute
// them. The soft cap is applied before the mask in every version of the operator; the specification of opset 23
// originally required the reverse order and was corrected. A query that attends to no key yields zeros.
//
//===----------------------------------------------------------------------===//

#include "AttentionOperands.h"
#include "Heads.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// The permutation between [batch, positions, heads, size] and [batch, heads, positions, size].
constexpr int64_t swapHeads[] = {0, 2, 1, 3};

/// Reads query, key and value, and splits them into heads if they have 3 dimensions.
LogicalResult readHeads(NodeContext &n, AttentionOperands &operands) {
  SmallVector<Value> tensors{n.in(0), n.in(1), n.in(2)};
  if (failed(n.requireFloat(n.in(0))) || failed(n.requireSameElements(tensors)))
    return failure();
  int64_t rank = rankOf(n.in(0));
  for (Value tensor : tensors)
    if ((rank != 3 && rank != 4) || rankOf(tensor) != rank)
      return n.error() << "query, key and value must all have 3 or all have 4 dimensions, found " << typeText(tensor);
  static constexpr StringRef names[] = {"q_num_heads", "kv_num_heads", "kv_num_heads"};
  for (auto [tensor, name] : llvm::zip_equal(tensors, names)) {
    int64_t heads = n.intAttr(name, 0);
    if (rank == 4) {
      if (n.has(name) && heads != shapeOf(tensor)[1])
        return n.error() << name << " = " << heads << " is not the number of heads of " << typeText(tensor);
      continue;
    }
    FailureOr<Value> split = splitHeads(n, tensor, name, heads);
    if (failed(split))
      return failure();
    tensor = *split;
  }
  operands.queryLayout = operands.keyLayout = rank == 3 ? Layout::Bshd : Layout::Bhsd;
  operands.query = tensors[0], operands.key = tensors[1], operands.value = tensors[2];
  return success();
}

/// Concatenates the tensors `past` and `now` along the dimension of positions.
FailureOr<Value> appendToPast(NodeContext &n, Value past, Value now) {
  Shape expected(shapeOf(now));
  if (rankOf(past) == 4)
    expected[2] = shapeOf(past)[2];
  if (failed(n.requireSameElements({now, past})))
    return failure();
  if (shapeOf(past) != ArrayRef(expected))
    return n.error() << "new keys or values of " << typeText(now) << " cannot be appended to a past of "
                     << typeText(past);
  return expected[2].number() == 0 ? now : n.b.concat({past, now}, 2);
}

/// Prepends past keys and values. Yields all keys and all values as outputs if these outputs are used.
LogicalResult readCache(NodeContext &n, AttentionOperands &operands) {
  Value pastKey = n.in(4), pastValue = n.in(5);
  if (!pastKey != !pastValue)
    return n.error() << "expected both past_key and past_value, or neither";
  bool isShown = n.wants(1) || n.wants(2);
  if ((pastKey || isShown) && operands.keyLayout == Layout::Bshd) {
    operands.key = n.b.transpose(operands.key, swapHeads);
    operands.value = n.b.transpose(operands.value, swapHeads);
    operands.keyLayout = Layout::Bhsd;
  }
  if (pastKey) {
    FailureOr<Value> key = appendToPast(n, pastKey, operands.key);
    FailureOr<Value> value = failed(key) ? key : appendToPast(n, pastValue, operands.value);
    if (failed(value))
      return failure();
    operands.key = *key, operands.value = *value;
    operands.past = shapeOf(pastKey)[2];
  }
  if (n.wants(1))
    (void)n.yield(1, operands.key);
  if (n.wants(2))
    (void)n.yield(2, operands.value);
  return success();
}

/// From opset 24 on, a mask may have fewer columns than there are keys. Extends the mask with columns that mask the
/// remaining keys.
FailureOr<Value> padMask(NodeContext &n, Value mask, const Dim &keys) {
  Shape missing(shapeOf(mask));
  if (n.opset < 24 || missing.empty() || missing.back() >= keys)
    return mask;
  if (missing.back() == 1)
    return n.error() << "an attn_mask of " << typeText(mask)
                     << " is not supported, because it is ambiguous: its only column may apply to all " << keys.text()
                     << " keys (by broadcasting) or to the first key only";
  missing.back() = keys - missing.back();
  return n.b.concat({mask, n.b.splat(missing, elementOf(mask), isFloat(mask) ? -INFINITY : 0)}, missing.size() - 1);
}

/// Reads attn_mask: a bool mask becomes the mask of heddle.attention, a float mask becomes the bias.
LogicalResult readMask(NodeContext &n, AttentionOperands &operands) {
  Value mask = n.in(3);
  if (!mask)
    return success();
  bool isBool = elementOf(mask).isInteger(1);
  if (!isBool && !isFloat(mask))
    return n.error() << "expected an attn_mask of booleans or floats, found " << typeText(mask);
  FailureOr<Value> padded = padMask(n, mask, operands.keys);
  if (failed(padded))
    return failure();
  Shape scores = operands.scoreShape();
  if (broadcastShapes(scores, shapeOf(*padded)) != scores)
    return n.error() << "attn_mask, " << typeText(mask) << ", does not broadcast to " << shapeText(scores);
  (isBool ? operands.mask : operands.bias) = isBool ? *padded : n.b.castTo(*padded, elementOf(operands.query));
  return success();
}

/// Reads nonpad_kv_seqlen, the number of valid keys of each sequence.
LogicalResult readLengths(NodeContext &n, AttentionOperands &operands) {
  Value lengths = n.in(6);
  if (!lengths)
    return success();
  if (n.opset < 24)
    return n.error() << "nonpad_kv_seqlen exists since opset 24";
  if (n.in(4) || n.wants(1) || n.wants(2))
    return n.error() << "nonpad_kv_seqlen is not supported together with past or present keys";
  if (!elementOf(lengths).isInteger(64) || shapeOf(lengths) != Shape{operands.batch})
    return n.error() << "expected nonpad_kv_seqlen of shape [" << operands.batch.text() << "] of i64, found "
                     << typeText(lengths);
  n.ranges.narrow(lengths, 0, operands.keys); // ONNX does not define the results for other values
  operands.keyLengths = lengths;
  return success();
}

LogicalResult readAttributes(NodeContext &n, AttentionOperands &operands) {
  operands.scale = n.floatAttr("scale", 1 / std::sqrt(double(operands.headSize)));
  operands.softcap = n.floatAttr("softcap", 0);
  operands.causal = n.intAttr("is_causal", 0) != 0;
  if (n.opset >= 25) {
    operands.left = n.intAttr("left_window_size", -1);
    operands.right = n.intAttr("right_window_size", -1);
  }
  // ONNX multiplies query and key by the square root of the scale, so the scale must not be negative.
  if (!(operands.scale >= 0) || !std::isfinite(operands.scale))
    return n.error() << "scale is " << operands.scale << ", expected a finite number of at least 0";
  if (!(operands.softcap >= 0) || !std::isfinite(operands.softcap))
    return n.error() << "softcap is " << operands.softcap << ", expected a finite number of at least 0";
  if (operands.left < -1 || operands.right < -1)
    return n.error() << "expected window sizes of at least -1, found " << operands.left << " and " << operands.right;
  return success();
}

/// Decides how to express the causal mask and the window. They become attributes if the last query is aligned with the
/// last (valid) key, or if there is a causal mask and the first query is aligned with the first key. Otherwise they
/// become a mask operand.
FailureOr<Causal> placeOrder(NodeContext &n, AttentionOperands &operands) {
  if (!operands.hasOrder())
    return Causal::None;
  if (operands.causal && !operands.keyLengths && !n.in(4)) // without a past, query 0 has the position of key 0
    return Causal::UpperLeft;
  if (operands.keyLengths || (operands.past + operands.queries - operands.keys).number() == 0)
    return operands.causal ? Causal::LowerRight : Causal::None;
  FailureOr<Value> visible = visibleKeys(n, operands);
  if (failed(visible))
    return failure();
  operands.mask = operands.mask ? n.b.binary<arith::AndIOp, arith::AndIOp>(operands.mask, *visible) : *visible;
  operands.left = operands.right = -1;
  return Causal::None;
}

LogicalResult convertAttention(NodeContext &n) {
  AttentionOperands operands;
  if (failed(readHeads(n, operands)) || failed(readCache(n, operands)) || failed(readSizes(n, operands)) ||
      failed(readMask(n, operands)) || failed(readLengths(n, operands)) || failed(readAttributes(n, operands)))
    return failure();
  FailureOr<SoftmaxPrecision> precision = n.has("softmax_precision") ? readSoftmaxPrecision(n) : SoftmaxPrecision::F32;
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (failed(precision))
    return failure();
  if (mode < 0 || mode > 3)
    return n.error() << "qk_matmul_output_mode is " << mode << ", expected 0 to 3";
  operands.precision = *precision;
  operands.showWeights = n.wants(3) && mode == 3;
  if (n.wants(3) && !operands.showWeights) {
    FailureOr<Value> scores = emitScores(n, operands, static_cast<ScoreStage>(mode));
    if (failed(scores))
      return failure();
    (void)n.yield(3, *scores);
  }
  FailureOr<Causal> causal = placeOrder(n, operands);
  if (failed(causal))
    return failure();
  AttentionOp attention = attend(n, operands, *causal);
  if (operands.showWeights)
    (void)n.yield(3, attention.getWeights());
  Value result = attention.getResult();
  if (operands.queryLayout == Layout::Bshd)
    result = n.b.reshape(result, {operands.batch, operands.queries, operands.queryHeads * operands.valueSize});
  return n.yield(result);
}

} // namespace

void heddle::onnx::addAttentionOps(OpTable &table) { table["Attention"] = {convertAttention, 3, 7, 23}; }
