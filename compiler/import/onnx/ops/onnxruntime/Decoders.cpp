//===- Decoders.cpp - RotaryEmbedding and GroupQueryAttention -------------===//

#include "../Heads.h"
#include "../RotaryEmbedding.h"
#include "Masks.h"
#include "OnnxRuntimeOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

LogicalResult convertRotaryEmbedding(NodeContext &n) {
  Value x = n.in(0), positions = n.in(1), cosine = n.in(2), sine = n.in(3), input = x;
  bool interleaved = n.intAttr("interleaved", 0) != 0;
  int64_t heads = n.intAttr("num_heads", 0), rotated = n.intAttr("rotary_embedding_dim", 0);
  if (n.intAttr("is_packed_batching", 0) != 0)
    return n.error() << "is_packed_batching is not supported";
  if (n.floatAttr("scale", 1) != 1)
    return n.error() << "scale is not supported";
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements({x, cosine, sine})) ||
      failed(n.requireInteger(positions)))
    return failure();
  if (rankOf(cosine) != 2 || (rankOf(x) != 3 && rankOf(x) != 4))
    return n.error() << "expected 3 or 4 dimensions and tables of 2, found " << typeText(x) << " and "
                     << typeText(cosine);
  int64_t half = shapeOf(cosine)[1];
  Layout layout = rankOf(x) == 3 ? Layout::Bshd : Layout::Bhsd;
  if (layout == Layout::Bshd) {
    if (heads == 0 && half > 0)
      heads = shapeOf(x)[2] / (2 * half);
    FailureOr<Value> split = splitHeads(n, x, "num_heads", heads);
    if (failed(split))
      return failure();
    input = *split;
  }
  ArrayRef<int64_t> shape = shapeOf(input);
  if ((rotated != 0 && rotated != 2 * half) || 2 * half > shape[3])
    return n.error() << "tables of " << half << " angles do not fit heads of " << shape[3];
  Shape angles{shape[0], shape[layout == Layout::Bshd ? 1 : 2], half};
  if (shapeOf(positions) == ArrayRef<int64_t>{1}) { // of the first one
    Value count = n.b.integers({1, angles[1]}, llvm::to_vector(llvm::seq<int64_t>(0, angles[1])));
    Value first = n.b.reshape(n.b.castTo(positions, n.b.getI64Type()), {1, 1});
    positions = n.b.broadcast(n.b.add(first, count), {angles[0], angles[1]});
  }
  FailureOr<Value> cosines = readAngles(n, cosine, positions, angles);
  FailureOr<Value> sines = failed(cosines) ? cosines : readAngles(n, sine, positions, angles);
  if (failed(sines))
    return failure();
  return n.yield(n.b.reshape(rotate(n, input, *cosines, *sines, interleaved, layout), shapeOf(x)));
}

constexpr std::pair<unsigned, StringRef> refusedInputs[] = {{9, "position_ids"},   {11, "head_sink"},
                                                            {12, "k_scale"},       {13, "v_scale"},
                                                            {14, "q_norm_weight"}, {15, "k_norm_weight"}};
constexpr StringRef refusedAttributes[] = {"smooth_softmax", "sliding_window_cache", "kv_cache_bit_width", "qk_output"};

/// Query, key and value as heads, also where they are one tensor.
LogicalResult readGroups(NodeContext &n, AttentionOperands &operands) {
  Value query = n.in(0), key = n.in(1), value = n.in(2);
  int64_t heads = n.intAttr("num_heads", 0), groups = n.intAttr("kv_num_heads", 0);
  if (failed(n.requireFloat(query)))
    return failure();
  if (rankOf(query) != 3 || !key != !value || heads < 1 || groups < 1)
    return n.error() << "expected a query of 3 dimensions, key and value together, num_heads and kv_num_heads";
  if (!key) {
    int64_t width = shapeOf(query)[2], all = heads + 2 * groups;
    if (width % all != 0)
      return n.error() << typeText(query) << " is not " << all << " heads";
    int64_t size = width / all;
    value = n.b.slice(query, 2, (heads + groups) * size, groups * size);
    key = n.b.slice(query, 2, heads * size, groups * size);
    query = n.b.slice(query, 2, 0, heads * size);
  }
  if (rankOf(key) != 3 || rankOf(value) != 3 || failed(n.requireSameElements({query, key, value})))
    return n.error() << "expected key and value like the query, found " << typeText(key) << " and " << typeText(value);
  FailureOr<Value> q = splitHeads(n, query, "num_heads", heads);
  FailureOr<Value> k = failed(q) ? q : splitHeads(n, key, "kv_num_heads", groups);
  FailureOr<Value> v = failed(k) ? k : splitHeads(n, value, "kv_num_heads", groups);
  if (failed(v))
    return failure();
  operands.query = *q, operands.key = *k, operands.value = *v;
  operands.queryLayout = operands.keyLayout = Layout::Bshd;
  return readSizes(n, operands);
}

/// The first positions of both tables turn queries and keys.
LogicalResult rotateBoth(NodeContext &n, AttentionOperands &operands) {
  bool interleaved = n.intAttr("rotary_interleaved", 0) != 0;
  if (n.intAttr("do_rotary", 0) == 0)
    return success();
  Value tables[] = {n.in(7), n.in(8)};
  for (Value &table : tables) {
    if (!table || rankOf(table) != 2 || shapeOf(table)[0] < operands.queries ||
        2 * shapeOf(table)[1] > operands.headSize || failed(n.requireSameElements({operands.query, table})))
      return n.error() << "do_rotary without tables of cosines and sines for " << operands.queries << " positions";
    table = n.b.slice(table, 0, 0, operands.queries);
  }
  if (shapeOf(tables[0]) != shapeOf(tables[1]))
    return n.error() << "cosines and sines differ in shape";
  operands.query = rotate(n, operands.query, tables[0], tables[1], interleaved, operands.queryLayout);
  operands.key = rotate(n, operands.key, tables[0], tables[1], interleaved, operands.keyLayout);
  return success();
}

/// Of a prompt: query i sees the keys up to its own, of those that count. A past lies where each call's lengths say.
LogicalResult convertGroupQueryAttention(NodeContext &n) {
  AttentionOperands operands;
  for (StringRef name : refusedAttributes)
    if (n.has(name) && n.intAttr(name, 0) != 0)
      return n.error() << name << " is not supported";
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (n.stringAttr(name, "NONE") != "NONE")
      return n.error() << name << " is not supported";
  for (auto [input, name] : refusedInputs)
    if (n.in(input))
      return n.error() << name << " is not supported";
  n.floatAttr("qk_norm_epsilon", 1e-6);
  bool causal = n.intAttr("causal", 1) != 0;
  int64_t window = n.intAttr("local_window_size", -1);
  operands.softcap = n.floatAttr("softcap", 0);
  if (failed(readGroups(n, operands)))
    return failure();
  for (unsigned past : {3, 4})
    if (n.in(past) && !llvm::is_contained(shapeOf(n.in(past)), 0))
      return n.error() << "past keys and values are not supported";
  if (operands.queries != operands.keys || !n.in(5))
    return n.error() << "expected as many keys as queries, and seqlens_k";
  if (failed(rotateBoth(n, operands)))
    return failure();
  for (auto [output, value] : {std::pair(1, operands.key), std::pair(2, operands.value)})
    if (n.wants(output))
      (void)n.yield(output, n.b.transpose(value, {0, 2, 1, 3}));
  if (n.wants(3))
    return n.error() << "the scores as an output are not supported";

  if (shapeOf(n.in(5)) != ArrayRef<int64_t>{operands.batch} || failed(n.requireInteger(n.in(5))))
    return n.error() << "expected seqlens_k of [" << operands.batch << "], found " << typeText(n.in(5));
  Emitter &b = n.b;
  Value last = b.reshape(b.castTo(n.in(5), b.getI64Type()), {operands.batch, 1, 1, 1});
  Value key = b.integers({operands.keys}, llvm::to_vector(llvm::seq<int64_t>(0, operands.keys)));
  auto [position, limit] = b.together(key, last);
  operands.mask = b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::sle, position, limit);
  if (window == 0 || window < -1 || (window > 0 && !causal))
    return n.error() << "local_window_size " << window << " is not supported";
  operands.left = window > 0 ? window - 1 : -1; // it counts the query's own key
  if (failed(readMaskAndBias(n, operands, Value(), n.in(10))))
    return failure();
  double scale = n.floatAttr("scale", 0);
  operands.scale = scale == 0 ? 1 / std::sqrt(double(operands.headSize)) : scale;
  Value result = attend(n, operands, causal ? Causal::UpperLeft : Causal::None).getResult();
  return n.yield(b.reshape(result, {operands.batch, operands.queries, operands.queryHeads * operands.valueSize}));
}

} // namespace

void heddle::onnx::addOnnxRuntimeDecoders(OpTable &table) {
  table["RotaryEmbedding"] = {convertRotaryEmbedding, 4, 4};
  table["GroupQueryAttention"] = {convertGroupQueryAttention, 1, 16};
}
