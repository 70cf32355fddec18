//===- Attention.cpp - Attention ------------------------------------------===//
//
// One heddle.attention. The soft cap comes before the mask in every version: opset 23 had it behind at first, and
// was corrected. A row without any key yields zeros.
//
//===----------------------------------------------------------------------===//

#include "AttentionOperands.h"
#include "Heads.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

constexpr int64_t swapHeads[] = {0, 2, 1, 3};

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
        return n.error() << name << " = " << heads << " is not what " << typeText(tensor) << " has";
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

/// `now` behind `past`, along the positions.
FailureOr<Value> appendToPast(NodeContext &n, Value past, Value now) {
  Shape expected(shapeOf(now));
  if (rankOf(past) == 4)
    expected[2] = shapeOf(past)[2];
  if (failed(n.requireSameElements({now, past})))
    return failure();
  if (shapeOf(past) != ArrayRef(expected))
    return n.error() << typeText(now) << " cannot follow " << typeText(past);
  return expected[2] == 0 ? now : n.b.concat({past, now}, 2);
}

/// Keys and values of the past before the new ones, and both as outputs.
LogicalResult readCache(NodeContext &n, AttentionOperands &operands) {
  Value pastKey = n.in(4), pastValue = n.in(5);
  if (!pastKey != !pastValue)
    return n.error() << "expected past_key and past_value together";
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

LogicalResult readSizes(NodeContext &n, AttentionOperands &operands) {
  auto sized = [](Value value, Layout layout) {
    Shape shape(shapeOf(value));
    if (layout == Layout::Bshd)
      std::swap(shape[1], shape[2]);
    return shape;
  };
  Shape query = sized(operands.query, operands.queryLayout), key = sized(operands.key, operands.keyLayout),
        value = sized(operands.value, operands.keyLayout);
  operands.batch = query[0], operands.queryHeads = query[1], operands.queries = query[2], operands.headSize = query[3];
  operands.keyHeads = key[1], operands.keys = key[2], operands.valueSize = value[3];
  bool fits = key[0] == query[0] && key[3] == query[3] && ArrayRef(value).drop_back() == ArrayRef(key).drop_back();
  if (!fits || llvm::is_contained(query, 0) || llvm::is_contained(key, 0) || value[3] == 0 || query[1] % key[1] != 0)
    return n.error() << "query, key and value of [batch, heads, positions, size] " << shapeText(query) << ", "
                     << shapeText(key) << " and " << shapeText(value) << " do not fit";
  return success();
}

/// Since opset 24 a mask may end before the keys do, which are removed from there on.
FailureOr<Value> padMask(NodeContext &n, Value mask, int64_t keys) {
  Shape missing(shapeOf(mask));
  if (n.opset < 24 || missing.empty() || missing.back() >= keys)
    return mask;
  if (missing.back() == 1)
    return n.error() << "an attn_mask of " << typeText(mask) << ", which may be broadcast to all of the " << keys
                     << " keys or end after the first one, is not supported";
  missing.back() = keys - missing.back();
  return n.b.concat({mask, n.b.splat(missing, elementOf(mask), isFloat(mask) ? -INFINITY : 0)}, missing.size() - 1);
}

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

LogicalResult readLengths(NodeContext &n, AttentionOperands &operands) {
  Value lengths = n.in(6);
  if (!lengths)
    return success();
  if (n.opset < 24)
    return n.error() << "nonpad_kv_seqlen exists since opset 24";
  if (n.in(4) || n.wants(1) || n.wants(2))
    return n.error() << "expected nonpad_kv_seqlen without past and present keys";
  if (!elementOf(lengths).isInteger(64) || shapeOf(lengths) != ArrayRef<int64_t>{operands.batch})
    return n.error() << "expected nonpad_kv_seqlen of [" << operands.batch << "] of i64, found " << typeText(lengths);
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
  // ONNX scales query and key by the root of it.
  if (!(operands.scale >= 0) || !std::isfinite(operands.scale))
    return n.error() << "scale is " << operands.scale << ", expected a finite number from 0 on";
  if (!(operands.softcap >= 0) || !std::isfinite(operands.softcap))
    return n.error() << "softcap is " << operands.softcap << ", expected a finite number from 0 on";
  if (operands.left < -1 || operands.right < -1)
    return n.error() << "expected window sizes from -1 on, found " << operands.left << " and " << operands.right;
  return success();
}

/// In at least this type the softmax is computed.
FailureOr<SoftmaxPrecision> readPrecision(NodeContext &n) {
  if (!n.has("softmax_precision"))
    return SoftmaxPrecision::F32;
  int64_t number = n.intAttr("softmax_precision", 0);
  Type type = number >= 0 && number < 1000 ? elementType(n.b.getContext(), static_cast<int32_t>(number)) : Type();
  if (!isa_and_present<FloatType>(type))
    return n.error() << "softmax_precision " << number << " is not supported";
  return type.isF64() ? SoftmaxPrecision::F64 : SoftmaxPrecision::F32;
}

/// Causal order and the window stay knobs where the last query stands at the last key, or (causal order) the first
/// at the first; elsewhere they are a mask.
FailureOr<Causal> placeOrder(NodeContext &n, AttentionOperands &operands) {
  if (!operands.hasOrder())
    return Causal::None;
  if (operands.keyLengths || operands.past + operands.queries == operands.keys)
    return operands.causal ? Causal::LowerRight : Causal::None;
  if (operands.causal && operands.past == 0)
    return Causal::UpperLeft;
  FailureOr<Value> visible = visibleKeys(n, operands);
  if (failed(visible))
    return failure();
  operands.mask = operands.mask ? n.b.binary<arith::AndIOp, arith::AndIOp>(operands.mask, *visible) : *visible;
  operands.left = operands.right = -1;
  return Causal::None;
}

Value attend(NodeContext &n, const AttentionOperands &operands, Causal causal, SoftmaxPrecision precision,
             bool showWeights) {
  Emitter &b = n.b;
  MLIRContext *context = b.getContext();
  Shape shape{operands.batch, operands.queryHeads, operands.queries, operands.valueSize};
  if (operands.queryLayout == Layout::Bshd)
    std::swap(shape[1], shape[2]);
  Type element = elementOf(operands.query);
  SmallVector<Type> types{RankedTensorType::get(shape, element)};
  if (showWeights)
    types.push_back(RankedTensorType::get(operands.scoreShape(), element));
  auto layout = [&](Layout layout) { return LayoutAttr::get(context, layout); };
  bool hasWindow = operands.left >= 0 || operands.right >= 0;
  auto attention = AttentionOp::create(
      b, types, operands.query, operands.key, operands.value, operands.bias, operands.mask, operands.keyLengths,
      b.getF64FloatAttr(operands.scale), operands.softcap > 0 ? b.getF64FloatAttr(operands.softcap) : FloatAttr(),
      /*masked_score=*/FloatAttr(), CausalAttr::get(context, causal),
      hasWindow ? b.getDenseI64ArrayAttr({operands.left, operands.right}) : DenseI64ArrayAttr(),
      EmptyRowAttr::get(context, EmptyRow::Zeros), SoftmaxPrecisionAttr::get(context, precision),
      layout(operands.queryLayout), layout(operands.keyLayout), layout(operands.keyLayout),
      layout(operands.queryLayout), showWeights ? b.getUnitAttr() : UnitAttr());
  if (showWeights)
    (void)n.yield(3, attention.getWeights());
  return attention.getResult();
}

LogicalResult convertAttention(NodeContext &n) {
  AttentionOperands operands;
  if (failed(readHeads(n, operands)) || failed(readCache(n, operands)) || failed(readSizes(n, operands)) ||
      failed(readMask(n, operands)) || failed(readLengths(n, operands)) || failed(readAttributes(n, operands)))
    return failure();
  FailureOr<SoftmaxPrecision> precision = readPrecision(n);
  int64_t mode = n.intAttr("qk_matmul_output_mode", 0);
  if (failed(precision))
    return failure();
  if (mode < 0 || mode > 3)
    return n.error() << "qk_matmul_output_mode " << mode << ", expected 0 to 3";
  bool showWeights = n.wants(3) && mode == 3;
  if (n.wants(3) && !showWeights) {
    FailureOr<Value> scores = emitScores(n, operands, static_cast<ScoreStage>(mode));
    if (failed(scores))
      return failure();
    (void)n.yield(3, *scores);
  }
  FailureOr<Causal> causal = placeOrder(n, operands);
  if (failed(causal))
    return failure();
  Value result = attend(n, operands, *causal, *precision, showWeights);
  if (operands.queryLayout == Layout::Bshd)
    result = n.b.reshape(result, {operands.batch, operands.queries, operands.queryHeads * operands.valueSize});
  return n.yield(result);
}

} // namespace

void heddle::onnx::addAttentionOps(OpTable &table) { table["Attention"] = {convertAttention, 3, 7, 23}; }
