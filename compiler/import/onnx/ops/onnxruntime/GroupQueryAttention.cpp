//===- GroupQueryAttention.cpp - ONNX Runtime's GroupQueryAttention -------===//
//
// The operator becomes one heddle.attention. Keys and values are stored in buffers (past_key and past_value), and the
// new keys and values are written into these buffers. Batch entry b has seqlens_k[b] + 1 keys; the last of these keys
// are the new keys. If total_sequence_length is the number of new keys, the call is a prompt: it has no past, and
// positions after the last key of a shorter entry are padding.
//
//===----------------------------------------------------------------------===//

#include "../Gather.h"
#include "../Heads.h"
#include "../RotaryEmbedding.h"
#include "../SizedOperands.h"
#include "../../KeepStates.h"
#include "KeyBuffer.h"
#include "Masks.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Inputs and attributes that are not supported.
constexpr std::pair<unsigned, StringRef> refusedInputs[] = {
    {12, "k_scale"}, {13, "v_scale"}, {14, "q_norm_weight"}, {15, "k_norm_weight"}};
constexpr StringRef refusedAttributes[] = {"sliding_window_cache", "kv_cache_bit_width", "qk_output"};

/// The operands of a node, and the properties of its past.
struct Groups : AttentionOperands {
  Value past, pastValue;            // the buffers; null if they are absent or empty
  Value before;                     // [batch], the number of positions in the past
  bool isPrompt = false;            // whether the call has no past; the contents of the buffers are then ignored
  bool mayBePrompt = false;         // whether some calls are prompts, depending on their sizes or inputs
  bool keepsState = false;          // whether past_key and past_value are states, to which new rows are appended
  bool isCausal = true;
  // The number of keys in the window, which ends at the query's own position; -1 if there is no window.
  int64_t window = -1;
  Dim newKeys = 0, allKeys = 0; // the numbers of new keys, and of positions in the buffers after the call
  std::optional<Dim> total;     // total_sequence_length; nothing if it is not known at import
};

LogicalResult checkSupported(NodeContext &n) {
  for (StringRef name : refusedAttributes)
    if (n.has(name) && n.intAttr(name, 0) != 0)
      return n.error() << name << " is not supported";
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (n.stringAttr(name, "NONE") != "NONE")
      return n.error() << name << " is not supported";
  for (auto [input, name] : refusedInputs)
    if (n.in(input))
      return n.error() << name << " is not supported";
  if (n.wants(3))
    return n.error() << "the scores as an output are not supported";
  n.floatAttr("qk_norm_epsilon", 1e-6);
  return success();
}

/// Reads query, key and value, which may be packed in one tensor, and splits them into heads.
LogicalResult readGroups(NodeContext &n, Groups &g) {
  Value query = n.in(0), key = n.in(1), value = n.in(2);
  int64_t heads = n.intAttr("num_heads", 0), groups = n.intAttr("kv_num_heads", 0);
  if (failed(n.requireFloat(query)))
    return failure();
  if (rankOf(query) != 3 || !key != !value || heads < 1 || groups < 1)
    return n.error() << "expected a query of 3 dimensions, both key and value or neither, and positive num_heads and "
                        "kv_num_heads";
  if (!key) {
    FailureOr<int64_t> width = requireNumber(n, shapeOf(query)[2], "the last dimension of a tensor with heads");
    if (failed(width))
      return failure();
    int64_t all = heads + 2 * groups;
    if (*width % all != 0)
      return n.error() << "the last dimension of " << typeText(query) << " cannot be divided into " << all
                       << " heads for query, key and value";
    int64_t size = *width / all;
    value = n.b.slice(query, 2, (heads + groups) * size, groups * size);
    key = n.b.slice(query, 2, heads * size, groups * size);
    query = n.b.slice(query, 2, 0, heads * size);
  }
  if (rankOf(key) != 3 || rankOf(value) != 3 || failed(n.requireSameElements({query, key, value})))
    return n.error() << "expected key and value with 3 dimensions and the element type of the query, found "
                     << typeText(key) << " and " << typeText(value);
  FailureOr<Value> q = splitHeads(n, query, "num_heads", heads);
  FailureOr<Value> k = failed(q) ? q : splitHeads(n, key, "kv_num_heads", groups);
  FailureOr<Value> v = failed(k) ? k : splitHeads(n, value, "kv_num_heads", groups);
  if (failed(v))
    return failure();
  g.query = *q, g.key = *k, g.value = *v;
  g.queryLayout = g.keyLayout = Layout::Bshd;
  if (failed(readSizes(n, g)))
    return failure();
  g.newKeys = g.keys;
  if (g.queries != g.newKeys)
    return n.error() << "expected as many new keys as queries, found " << g.newKeys.text() << " and "
                     << g.queries.text();
  return success();
}

/// Reads the buffers past_key and past_value, if they are present and not empty.
LogicalResult readPast(NodeContext &n, Groups &g) {
  if (!n.in(3) != !n.in(4))
    return n.error() << "expected both past_key and past_value, or neither";
  auto isEmpty = [&](size_t input) { return onnx::isEmpty(shapeOf(n.in(input))); };
  if (!n.in(3) || (isEmpty(3) && isEmpty(4)))
    return success();
  int64_t size = g.headSize;
  for (auto [past, into] : {std::pair(n.in(3), &g.past), std::pair(n.in(4), &g.pastValue)}) {
    Shape shape(shapeOf(past));
    if (shape.size() != 4 || shape != Shape{g.batch, g.keyHeads, shapeOf(n.in(3))[2], size} ||
        failed(n.requireSameElements({g.query, past})))
      return n.error() << "a past of " << typeText(past) << " does not fit the new keys, " << typeText(g.key);
    *into = past;
    size = g.valueSize;
  }
  return success();
}

/// Reads the lengths for a past that is a state: operand 5 contains the number of filled rows of each sequence.
LogicalResult readStateLengths(NodeContext &n, Groups &g) {
  if (!g.past)
    return n.error() << "expected the inputs past_key and past_value";
  g.before = n.in(5);
  g.keyLengths = n.b.add(g.before, n.b.splatDim(g.before, g.newKeys));
  g.allKeys = shapeOf(g.past)[2];
  return success();
}

/// Reads the number of keys of each batch entry from seqlens_k, and the maximum of these numbers from
/// total_sequence_length.
LogicalResult readLengths(NodeContext &n, Groups &g) {
  Value last = n.in(5), total = n.in(6);
  if (!last || !total)
    return n.error() << "expected seqlens_k and total_sequence_length";
  if (shapeOf(last) != Shape{g.batch} || failed(n.requireInteger(last)))
    return n.error() << "expected seqlens_k of integers with the shape [" << g.batch.text() << "], found "
                     << typeText(last);
  if (failed(n.requireInteger(total)) || countOf(total) != 1)
    return n.error() << "expected one total_sequence_length, found " << typeText(total);
  Dim room = g.past ? shapeOf(g.past)[2] : Dim(0);
  g.allKeys = maximum(room, g.newKeys);
  if (std::optional<Shape> known = Emitter::dimsOf(total)) {
    Dim number = known->front();
    if (number < g.newKeys || (!g.past && number != g.newKeys))
      return n.error() << "total_sequence_length is " << number.text() << ", which does not fit " << g.newKeys.text()
                       << " new keys and a past of " << room.text();
    g.total = number;
    Dim others = number - g.newKeys;
    g.isPrompt = others.number() == 0;
    g.mayBePrompt = !g.isPrompt && others.low() <= 0 && g.newKeys.high() > 1;
    g.allKeys = maximum(room, number);
  } else {
    if (room.number() != 0 && room < g.newKeys)
      return n.error() << "total_sequence_length must be known at import if a past of " << room.text()
                       << " has no room for " << g.newKeys.text() << " new keys";
    if (g.past && !n.ranges.narrow(total, g.newKeys, g.allKeys))
      return n.error() << "total_sequence_length must be known at import, or be an input of the model";
    g.isPrompt = !g.past;
    g.mayBePrompt = g.past && g.newKeys.high() > 1;
  }
  n.ranges.narrow(last, g.isPrompt || g.mayBePrompt ? Dim(0) : g.newKeys - 1, g.allKeys - 1);
  Emitter &b = n.b;
  Value lasts = b.castTo(last, b.getI64Type());
  g.keyLengths = b.add(lasts, b.splatLike(lasts, 1));
  Value none = b.splatLike(lasts, 0);
  g.before = g.isPrompt ? none : b.maximum(b.sub(g.keyLengths, b.splatDim(lasts, g.newKeys)), none);
  return success();
}

/// Returns the positions of queries and new keys, [batch, positions], or [positions] if they are equal for all entries.
Value positionsOf(NodeContext &n, const Groups &g) {
  Emitter &b = n.b;
  Value count = positions(b, {g.queries}, 0);
  if (Value given = n.in(9))
    return g.isPrompt ? b.add(b.reshape(b.slice(b.slice(b.castTo(given, b.getI64Type()), 0, 0, 1), 1, 0, 1), {1}), count)
                      : given;
  return g.isPrompt ? count : b.add(b.reshape(g.before, {g.batch, 1}), b.reshape(count, {1, g.queries}));
}

/// Rotates queries and new keys by the angles whose cosines and sines the tables contain for their positions.
LogicalResult rotateBoth(NodeContext &n, Groups &g) {
  Emitter &b = n.b;
  bool interleaved = n.intAttr("rotary_interleaved", 0) != 0;
  if (n.intAttr("do_rotary", 0) == 0)
    return n.in(9) ? LogicalResult(n.error() << "position_ids without do_rotary are not supported") : success();
  Value tables[] = {n.in(7), n.in(8)}, given = n.in(9);
  for (Value table : tables)
    if (!table || rankOf(table) != 2 || shapeOf(table)[0] < (g.isPrompt ? g.newKeys : g.allKeys) ||
        2 * shapeOf(table)[1] > g.headSize || failed(n.requireSameElements({g.query, table})))
      return n.error() << "do_rotary requires tables of cosines and sines for "
                       << (g.isPrompt ? g.newKeys : g.allKeys).text() << " positions, with at most " << g.headSize / 2
                       << " angles for each";
  if (shapeOf(tables[0]) != shapeOf(tables[1]))
    return n.error() << "expected cosines and sines of the same shape, found " << typeText(tables[0]) << " and "
                     << typeText(tables[1]);
  if (given && (shapeOf(given) != Shape{g.batch, g.queries} || failed(n.requireInteger(given))))
    return n.error() << "expected position_ids of shape [" << g.batch.text() << "x" << g.queries.text() << "], found "
                     << typeText(given);
  if (given && g.mayBePrompt)
    return n.error() << "position_ids are not supported unless it is known at import whether a call with several new "
                        "tokens has a past";
  Value positions = positionsOf(n, g);
  if (!given || g.isPrompt) { // seqlens_k and position_ids may contain any numbers, so positions are clamped
    Value bounded = b.minimum(positions, b.splatDim(positions, shapeOf(tables[0])[0] - 1));
    positions = b.maximum(bounded, b.splatLike(bounded, 0));
  }
  Shape angles{g.batch, g.queries, shapeOf(tables[0])[1]};
  if (rankOf(positions) == 1)
    angles.erase(angles.begin());
  for (Value &table : tables) {
    FailureOr<Value> rows = gather(n, table, positions, 0);
    if (failed(rows))
      return failure();
    table = *rows;
  }
  g.query = rotate(n, g.query, tables[0], tables[1], interleaved, g.queryLayout);
  g.key = rotate(n, g.key, tables[0], tables[1], interleaved, g.keyLayout);
  return success();
}

/// Writes new keys and values to the buffers. The resulting buffers are the keys and values that attention reads, and
/// also outputs of the node.
LogicalResult fillBuffers(NodeContext &n, Groups &g) {
  for (auto [past, now, output] :
       {std::tuple(g.past, &g.key, 1), std::tuple(g.pastValue, &g.value, 2)}) {
    if (g.keepsState)
      *now = AppendOp::create(n.b, n.b.transpose(*now, {0, 2, 1, 3}), past, g.before).getResult();
    else
      *now = g.isPrompt ? padTo(n.b, n.b.transpose(*now, {0, 2, 1, 3}), 2, g.allKeys)
                        : appendAt(n.b, past, *now, g.before, g.allKeys);
    if (n.wants(output))
      (void)n.yield(output, *now);
  }
  g.keyLayout = Layout::Bhsd;
  return readSizes(n, g);
}

/// Emits a mask [batch, 1, queries, keys] that is true where the causal rule, the window and seqlens_k allow a query to
/// attend to a key.
Value visibleInBuffer(NodeContext &n, const Groups &g) {
  Emitter &b = n.b;
  Value key = positions(b, {1, 1, 1, g.keys}, 3);
  auto compareToKey = [&](arith::CmpIPredicate predicate, Value x) {
    auto [left, right] = b.together(x, key);
    return b.elementwise<arith::CmpIOp>(predicate, left, right);
  };
  auto both = [&](Value x, Value y) { return b.binary<arith::AndIOp, arith::AndIOp>(x, y); };
  Value query = positions(b, {1, 1, g.queries, 1}, 2);
  Value own = b.add(query, b.reshape(g.before, {g.batch, 1, 1, 1}));
  Value visible = compareToKey(arith::CmpIPredicate::sgt, b.reshape(g.keyLengths, {g.batch, 1, 1, 1}));
  if (g.isCausal)
    visible = both(visible, compareToKey(arith::CmpIPredicate::sge, own));
  if (g.window > 0) {
    Value first = b.sub(own, b.splatLike(own, g.window - 1));
    visible = both(visible, compareToKey(arith::CmpIPredicate::sle, first));
  }
  return b.broadcast(visible, {g.batch, 1, g.queries, g.keys});
}

/// Adds a key before all others, to which every query attends. The score of this key is the element of `sink` for the
/// head, or 0 if `sink` is null. The key's value consists of zeros, so the key changes only the denominator of the
/// softmax.
LogicalResult addSink(NodeContext &n, Groups &g, Value sink) {
  Emitter &b = n.b;
  Type element = elementOf(g.query);
  if (sink && (shapeOf(sink) != Shape{g.queryHeads} || failed(n.requireSameElements({g.query, sink}))))
    return n.error() << "expected a head_sink of [" << g.queryHeads << "], found " << typeText(sink);
  auto before = [&](Value value, Value first, int64_t axis) { return b.concat({first, value}, axis); };
  g.key = before(g.key, b.splat({g.batch, g.keyHeads, 1, g.headSize}, element, 0), 2);
  g.value = before(g.value, b.splat({g.batch, g.keyHeads, 1, g.valueSize}, element, 0), 2);
  g.mask = before(g.mask, b.splat({g.batch, 1, g.queries, 1}, b.getI1Type(), 1), 3);
  if (sink || g.bias) {
    Shape shape{1, 1, 1, g.keys};
    if (g.bias) {
      shape.assign(4 - rankOf(g.bias), 1);
      llvm::append_range(shape, shapeOf(g.bias));
    }
    if (sink)
      shape[1] = g.queryHeads;
    Value others = g.bias ? b.broadcast(g.bias, shape) : b.splat(shape, element, 0);
    shape.back() = 1;
    Value own = sink ? b.broadcast(b.reshape(sink, {1, g.queryHeads, 1, 1}), shape) : b.splat(shape, element, 0);
    g.bias = before(others, own, 3);
  }
  return readSizes(n, g);
}

LogicalResult convertGroupQueryAttention(NodeContext &n) {
  Groups g;
  if (failed(checkSupported(n)))
    return failure();
  g.isCausal = n.intAttr("causal", 1) != 0;
  g.window = n.intAttr("local_window_size", -1);
  g.softcap = n.floatAttr("softcap", 0);
  double scale = n.floatAttr("scale", 0);
  bool smooth = n.intAttr("smooth_softmax", 0) > 0;
  g.keepsState = n.intAttr(keepsState, 0) != 0;
  if (failed(readGroups(n, g)) || failed(readPast(n, g)) ||
      failed(g.keepsState ? readStateLengths(n, g) : readLengths(n, g)) || failed(rotateBoth(n, g)) ||
      failed(fillBuffers(n, g)))
    return failure();
  if (g.window == 0 || g.window < -1 || (g.window > 0 && !g.isCausal))
    return n.error() << "local_window_size " << g.window << " is not supported";
  Value bias = n.in(10);
  if (bias && rankOf(bias) > 0 && g.total &&
      (shapeOf(bias).back() - *g.total).number() == 0) // keys after `total` are not valid: their bias has no effect
    bias = padTo(n.b, bias, rankOf(bias) - 1, g.keys);
  if (failed(readMaskAndBias(n, g, Value(), bias)))
    return failure();
  Causal causal = Causal::None;
  if (g.mayBePrompt || smooth || n.in(11)) {
    g.mask = visibleInBuffer(n, g);
    g.keyLengths = Value();
    if ((smooth || n.in(11)) && failed(addSink(n, g, n.in(11))))
      return failure();
  } else {
    if (g.isCausal)
      causal = g.isPrompt ? Causal::UpperLeft : Causal::LowerRight;
    g.left = g.window > 0 ? g.window - 1 : -1; // the window includes the query's own key
  }
  g.scale = scale == 0 ? 1 / std::sqrt(double(g.headSize)) : scale;
  if (!std::isfinite(g.scale))
    return n.error() << "scale is " << g.scale << ", expected a finite number";
  Value result = attend(n, g, causal).getResult();
  return n.yield(n.b.reshape(result, {g.batch, g.queries, g.queryHeads * g.valueSize}));
}

} // namespace

void heddle::onnx::addOnnxRuntimeGroupQueryAttention(OpTable &table) {
  table["GroupQueryAttention"] = {convertGroupQueryAttention, 1, 16};
}
