//===- LinearAttention.cpp - the operators LinearAttention ----------------===//
//
// A node LinearAttention of ONNX or of ONNX Runtime becomes one heddle.recurrent_attention.
//
//===----------------------------------------------------------------------===//

#include "Heads.h"
#include "OpTable.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// The operands, split into heads. Types narrower than f32 are converted to f32, because a state accumulates a sum.
struct Recurrence {
  int64_t queryHeads, keyHeads;
  Value query, key, value;  // [batch, positions, heads, size]
  Value decay, beta, state; // null if absent
  double scale;

  Shape keyShape() const { return shapeOf(key); }
  Shape stateShape() const { return {keyShape()[0], keyHeads, keyShape()[3], shapeOf(value)[3]}; }
};

/// Converts elements narrower than f32 to f32.
Value widen(Emitter &b, Value value) {
  return elementOf(value).getIntOrFloatBitWidth() < 32 ? b.castTo(value, b.getF32Type()) : value;
}

LogicalResult readOperands(NodeContext &n, Recurrence &r) {
  r.queryHeads = n.intAttr("q_num_heads", 0);
  r.keyHeads = n.intAttr("kv_num_heads", 0);
  if (r.queryHeads < 1 || r.keyHeads < 1 || r.queryHeads % r.keyHeads != 0)
    return n.error() << "expected a positive q_num_heads that is a multiple of kv_num_heads, found " << r.queryHeads
                     << " and " << r.keyHeads;
  for (size_t i = 0; i < 3; ++i)
    if (rankOf(n.in(i)) != 3)
      return n.error() << "expected query, key and value of 3 dimensions, found " << typeText(n.in(i));
  FailureOr<Value> query = splitHeads(n, n.in(0), "q_num_heads", r.queryHeads);
  FailureOr<Value> key = splitHeads(n, n.in(1), "kv_num_heads", r.keyHeads);
  FailureOr<Value> value = splitHeads(n, n.in(2), "kv_num_heads", r.keyHeads);
  if (failed(n.requireFloat(n.in(0))) || failed(n.requireSameElements({n.in(0), n.in(1), n.in(2)})) || failed(query) ||
      failed(key) || failed(value))
    return failure();
  r.query = widen(n.b, *query), r.key = widen(n.b, *key), r.value = widen(n.b, *value);
  Shape shape = shapeOf(r.query);
  Shape keyShape = r.keyShape(), valueShape = shapeOf(r.value);
  if (keyShape != Shape{shape[0], shape[1], r.keyHeads, shape[3]} ||
      ArrayRef(valueShape).drop_back() != ArrayRef(keyShape).drop_back() || llvm::is_contained(shape, 0) ||
      valueShape[3] == 0)
    return n.error() << "query, key and value do not fit each other: " << typeText(n.in(0)) << ", " << typeText(n.in(1))
                     << " and " << typeText(n.in(2));
  r.scale = n.floatAttr("scale", 0);
  if (r.scale == 0)
    r.scale = 1 / std::sqrt(double(*shape[3].number()));
  if (!std::isfinite(r.scale))
    return n.error() << "scale is " << r.scale << ", expected a finite number";
  return success();
}

/// Reads a gate [batch, positions, heads * size] from input number `input`. `headsAndSizes` lists the allowed pairs of
/// heads and size. `used` is whether the update rule uses the gate; if not, returns null.
FailureOr<Value> readGate(NodeContext &n, const Recurrence &r, size_t input, bool used, StringRef name,
                          ArrayRef<std::pair<int64_t, int64_t>> headsAndSizes) {
  Value gate = n.in(input);
  if (!gate != !used)
    return n.error() << "expected " << (used ? "the input '" : "no input '") << name << "' with this update_rule";
  if (!used)
    return Value();
  Dim batch = r.keyShape()[0], positions = r.keyShape()[1];
  for (auto [heads, size] : headsAndSizes)
    if (shapeOf(gate) == Shape{batch, positions, heads * size} && elementOf(gate) == elementOf(n.in(0)))
      return widen(n.b, n.b.reshape(gate, {batch, positions, heads, size}));
  return n.error() << "input '" << name << "' of " << typeText(gate) << " does not fit the keys, "
                   << typeText(n.in(1));
}

/// Reads the past state; null if it is absent.
FailureOr<Value> readState(NodeContext &n, const Recurrence &r) {
  Value past = n.in(3);
  if (past && (shapeOf(past) != r.stateShape() || !isFloat(past)))
    return n.error() << "expected past_state of shape " << shapeText(r.stateShape()) << ", found " << typeText(past);
  return past ? n.b.castTo(past, elementOf(r.key)) : Value();
}

LogicalResult convertLinearAttention(NodeContext &n) {
  Recurrence r;
  n.intAttr("chunk_size", 64);           // the chunk size does not change the result
  if (n.intAttr("state_window", 0) != 0) // only ONNX Runtime's operator has this attribute
    return n.error() << "state_window is not supported";
  std::string rule = n.stringAttr("update_rule", "gated_delta");
  bool isGated = rule == "gated" || rule == "gated_delta", isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return n.error() << "update_rule is '" << rule << "', expected linear, gated, delta or gated_delta";
  if (failed(readOperands(n, r)))
    return failure();
  FailureOr<Value> state = readState(n, r);
  FailureOr<Value> decay =
      readGate(n, r, 4, isGated, "decay", {{r.keyHeads, 1}, {r.keyHeads, *r.keyShape()[3].number()}});
  FailureOr<Value> beta = readGate(n, r, 5, isDelta, "beta", {{r.keyHeads, 1}, {1, 1}});
  if (failed(state) || failed(decay) || failed(beta))
    return failure();
  Shape shape(shapeOf(r.query));
  shape[3] = shapeOf(r.value)[3];
  Type element = elementOf(r.key);
  Type types[] = {typeOf(shape, element), typeOf(r.stateShape(), element)};
  auto op = RecurrentAttentionOp::create(n.b, types, r.query, r.key, r.value, *decay, *beta, *state,
                                         n.b.getF64FloatAttr(r.scale));
  if (n.wants(1))
    (void)n.yield(1, n.b.castTo(op.getLastState(), elementOf(n.in(3) ? n.in(3) : n.in(0))));
  Value result = n.b.reshape(op.getResult(), {shape[0], shape[1], shape[2] * shape[3]});
  return n.yield(n.b.castTo(result, elementOf(n.in(0))));
}

} // namespace

void heddle::onnx::addLinearAttentionOps(OpTable &table) {
  table["LinearAttention"] = {convertLinearAttention, 3, 6, 27};
}
