//===- LinearAttention.cpp - LinearAttention ------------------------------===//
//
// The recurrence of a state [key size, value size] for every head of keys, written out for each position: one or a
// few new positions on the state of a past. All heads of a batch are products side by side.
//
//===----------------------------------------------------------------------===//

#include "Heads.h"
#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// More make too much code.
constexpr int64_t mostPositions = 64;

struct Recurrence {
  int64_t batch, positions, queryHeads, keyHeads;
  Value query, key, value; // [batch x key heads, positions, ..]; of queries the heads that share keys beside each other
  Value decay, beta;       // null, or likewise with a last dimension that is broadcast
  Value state;             // [batch x key heads, key size, value size]
  double scale;

  int64_t products() const { return batch * keyHeads; }
  int64_t sharing() const { return queryHeads / keyHeads; }
};

/// [batch, positions, heads, size] as [batch x heads, positions, size].
Value headsFirst(Emitter &b, Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Shape folded{shape[0] * shape[2], shape[1], shape[3]};
  return b.reshape(b.transpose(value, {0, 2, 1, 3}), folded);
}

/// Sums are at least in f32.
Value widen(Emitter &b, Value value) {
  return elementOf(value).getIntOrFloatBitWidth() < 32 ? b.castTo(value, b.getF32Type()) : value;
}

LogicalResult readOperands(NodeContext &n, Recurrence &r) {
  Emitter &b = n.b;
  r.queryHeads = n.intAttr("q_num_heads", 0);
  r.keyHeads = n.intAttr("kv_num_heads", 0);
  if (r.queryHeads < 1 || r.keyHeads < 1 || r.queryHeads % r.keyHeads != 0)
    return n.error() << "expected q_num_heads, a multiple of kv_num_heads, found " << r.queryHeads << " and "
                     << r.keyHeads;
  for (size_t i = 0; i < 3; ++i)
    if (rankOf(n.in(i)) != 3)
      return n.error() << "expected query, key and value of 3 dimensions, found " << typeText(n.in(i));
  FailureOr<Value> query = splitHeads(n, n.in(0), "q_num_heads", r.queryHeads);
  FailureOr<Value> key = splitHeads(n, n.in(1), "kv_num_heads", r.keyHeads);
  FailureOr<Value> value = splitHeads(n, n.in(2), "kv_num_heads", r.keyHeads);
  if (failed(n.requireFloat(n.in(0))) || failed(n.requireSameElements({n.in(0), n.in(1), n.in(2)})) || failed(query) ||
      failed(key) || failed(value))
    return failure();
  r.batch = shapeOf(*query)[0], r.positions = shapeOf(*query)[1];
  int64_t size = shapeOf(*query)[3];
  if (shapeOf(*key) != ArrayRef<int64_t>{r.batch, r.positions, r.keyHeads, size} ||
      shapeOf(*value).drop_back() != shapeOf(*key).drop_back())
    return n.error() << "query, key and value, " << typeText(n.in(0)) << ", " << typeText(n.in(1)) << " and "
                     << typeText(n.in(2)) << ", do not fit";
  if (r.positions > mostPositions)
    return n.error() << r.positions << " positions are not supported, at most " << mostPositions;
  // Query heads that share keys: rows beside each other at each position.
  Value grouped = b.reshape(*query, {r.batch, r.positions, r.keyHeads, r.sharing() * size});
  r.query = widen(b, headsFirst(b, grouped));
  r.key = widen(b, headsFirst(b, *key));
  r.value = widen(b, headsFirst(b, *value));
  r.scale = n.floatAttr("scale", 0);
  if (r.scale == 0)
    r.scale = 1 / std::sqrt(double(size));
  return success();
}

/// A gate [batch, positions, heads x size], with `sizes` that it may have in place of the last dimension.
FailureOr<Value> readGate(NodeContext &n, const Recurrence &r, size_t input, bool used, StringRef name,
                          ArrayRef<std::pair<int64_t, int64_t>> headsAndSizes) {
  Value gate = n.in(input);
  if (!gate != !used)
    return n.error() << "expected " << (used ? "the input '" : "no input '") << name << "' with this update_rule";
  if (!used)
    return Value();
  for (auto [heads, size] : headsAndSizes) {
    if (shapeOf(gate) != ArrayRef<int64_t>{r.batch, r.positions, heads * size} || elementOf(gate) != elementOf(n.in(0)))
      continue;
    Value split = n.b.reshape(gate, {r.batch, r.positions, heads, size});
    split = n.b.broadcast(split, {r.batch, r.positions, r.keyHeads, size});
    return widen(n.b, headsFirst(n.b, split));
  }
  return n.error() << name << ", " << typeText(gate) << ", does not fit";
}

LogicalResult readState(NodeContext &n, Recurrence &r) {
  int64_t keySize = shapeOf(r.key)[2], valueSize = shapeOf(r.value)[2];
  Value past = n.in(3);
  Shape shape{r.products(), keySize, valueSize};
  if (!past) {
    r.state = n.b.splat(shape, elementOf(r.key), 0);
    return success();
  }
  if (shapeOf(past) != ArrayRef<int64_t>{r.batch, r.keyHeads, keySize, valueSize} || !isFloat(past))
    return n.error() << "expected past_state of shape " << shapeText({r.batch, r.keyHeads, keySize, valueSize})
                     << ", found " << typeText(past);
  r.state = n.b.castTo(n.b.reshape(past, shape), elementOf(r.key));
  return success();
}

/// One position: the state goes on, and is read by its queries; [batch, 1, query heads x value size].
Value step(Emitter &b, Recurrence &r, int64_t position) {
  int64_t keySize = shapeOf(r.state)[1], valueSize = shapeOf(r.state)[2], products = r.products();
  auto at = [&](Value values) { return b.slice(values, 1, position, 1); };
  Value key = at(r.key), value = at(r.value);
  if (r.decay) {
    Value decay = b.elementwise<math::ExpOp>(at(r.decay));
    r.state = b.mul(r.state, b.reshape(decay, {products, shapeOf(decay)[2], 1}));
  }
  if (r.beta)
    value = b.mul(at(r.beta), b.sub(value, b.matmul(key, r.state)));
  r.state = b.add(r.state, b.mul(b.reshape(key, {products, keySize, 1}), value));
  Value query = b.reshape(at(r.query), {products, r.sharing(), keySize});
  Value result = b.matmul(query, r.state);
  result = b.mul(result, b.splatLike(result, r.scale));
  return b.reshape(result, {r.batch, 1, r.queryHeads * valueSize});
}

LogicalResult convertLinearAttention(NodeContext &n) {
  Recurrence r;
  n.intAttr("chunk_size", 64); // does not change the result
  std::string rule = n.stringAttr("update_rule", "gated_delta");
  bool isGated = rule == "gated" || rule == "gated_delta", isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return n.error() << "update_rule '" << rule << "', expected linear, gated, delta or gated_delta";
  if (failed(readOperands(n, r)) || failed(readState(n, r)))
    return failure();
  int64_t keySize = shapeOf(r.key)[2];
  FailureOr<Value> decay = readGate(n, r, 4, isGated, "decay", {{r.keyHeads, 1}, {r.keyHeads, keySize}});
  FailureOr<Value> beta = readGate(n, r, 5, isDelta, "beta", {{r.keyHeads, 1}, {1, 1}});
  if (failed(decay) || failed(beta))
    return failure();
  r.decay = *decay, r.beta = *beta;
  SmallVector<Value> rows;
  for (int64_t position = 0; position < r.positions; ++position)
    rows.push_back(step(n.b, r, position));
  Shape shape{r.batch, r.keyHeads, keySize, shapeOf(r.value)[2]};
  if (n.wants(1))
    (void)n.yield(1, n.b.castTo(n.b.reshape(r.state, shape), elementOf(n.in(3) ? n.in(3) : n.in(0))));
  return n.yield(n.b.castTo(n.b.concat(rows, 1), elementOf(n.in(0))));
}

} // namespace

void heddle::onnx::addLinearAttentionOps(OpTable &table) {
  table["LinearAttention"] = {convertLinearAttention, 3, 6, 27};
}
