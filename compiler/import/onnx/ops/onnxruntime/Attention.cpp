//===- Attention.cpp - Attention, QAttention and MultiHeadAttention -------===//
//
// Each operator becomes one heddle.attention. Attention and QAttention also contain the projections of query, key and
// value.
//
//===----------------------------------------------------------------------===//

#include "../Heads.h"
#include "../Quantization.h"
#include "../SizedOperands.h"
#include "Masks.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// The permutation between [batch, positions, heads, size] and [batch, heads, positions, size].
constexpr int64_t swapHeads[] = {0, 2, 1, 3};

/// Transposes keys and values to [batch, heads, positions, size] and prepends the past keys and values, which may be
/// null.
LogicalResult prependPast(NodeContext &n, AttentionOperands &operands, Value pastKey, Value pastValue) {
  for (auto [now, past] : {std::pair(&operands.key, pastKey), std::pair(&operands.value, pastValue)}) {
    *now = n.b.transpose(*now, swapHeads);
    if (!past)
      continue;
    Shape expected(shapeOf(*now));
    if (rankOf(past) == 4)
      expected[2] = shapeOf(past)[2];
    if (shapeOf(past) != ArrayRef(expected) || failed(n.requireSameElements({*now, past})))
      return n.error() << "new keys or values of " << typeText(*now) << " cannot be appended to a past of "
                       << typeText(past);
    operands.past = expected[2];
    if (expected[2].number() != 0)
      *now = n.b.concat({past, *now}, 2);
  }
  operands.keyLayout = Layout::Bhsd;
  return success();
}

/// Emits an error if an attribute in `attributes` is not 0, or if an input in `inputs` is present.
LogicalResult refuse(NodeContext &n, ArrayRef<StringRef> attributes, ArrayRef<std::pair<unsigned, StringRef>> inputs) {
  for (StringRef name : attributes)
    if (n.intAttr(name, 0) != 0)
      return n.error() << name << " is not supported";
  for (auto [input, name] : inputs)
    if (n.in(input))
      return n.error() << name << " is not supported";
  return success();
}

/// Converts attention on `projected`, which contains query, key and value, each [batch, positions, heads * size].
/// `past` contains the past keys and values in one tensor [2, batch, heads, positions, size], or is null. `mask` and
/// `bias` are those of readMaskAndBias (Masks.h).
LogicalResult attendTo(NodeContext &n, ArrayRef<Value> projected, Value mask, Value past, Value bias) {
  Emitter &b = n.b;
  int64_t heads = n.intAttr("num_heads", 0);
  AttentionOperands operands;
  Value *parts[] = {&operands.query, &operands.key, &operands.value};
  for (auto [part, into] : llvm::zip_equal(projected, parts)) {
    FailureOr<Value> split = splitHeads(n, part, "num_heads", heads);
    if (failed(split))
      return failure();
    *into = *split;
  }
  operands.queryLayout = operands.keyLayout = Layout::Bshd;
  Value pastKey, pastValue;
  if (past) {
    if (rankOf(past) != 5 || shapeOf(past)[0] != 2)
      return n.error() << "expected a past of [2, batch, heads, positions, size], found " << typeText(past);
    Shape shape = shapeOf(past);
    shape.erase(shape.begin());
    pastKey = b.reshape(b.slice(past, 0, 0, 1), shape);
    pastValue = b.reshape(b.slice(past, 0, 1, 1), shape);
  }
  if ((past || n.wants(1)) && failed(prependPast(n, operands, pastKey, pastValue)))
    return failure();
  if (n.wants(1)) {
    Shape one(shapeOf(operands.key));
    if (shapeOf(operands.value) != ArrayRef(one))
      return n.error() << "a present of keys and values that differ in size is not supported";
    one.insert(one.begin(), 1);
    (void)n.yield(1, b.concat({b.reshape(operands.key, one), b.reshape(operands.value, one)}, 0));
  }
  if (failed(readSizes(n, operands)) || failed(readMaskAndBias(n, operands, mask, bias)))
    return failure();
  return yieldAttention(n, operands);
}

/// Converts Attention: three projections, each with a slice of the weights and the bias, followed by attention on their
/// results.
LogicalResult convertAttention(NodeContext &n) {
  Emitter &b = n.b;
  Value x = n.in(0), weights = n.in(1), bias = n.in(2);
  if (failed(refuse(n, {"do_rotary", "past_present_share_buffer", "rotary_embedding_dim"},
                    {{6, "past_sequence_length"}})) ||
      failed(n.requireFloat(x)) ||
      failed(n.requireSameElements(bias ? ArrayRef<Value>{x, weights, bias} : ArrayRef<Value>{x, weights})))
    return failure();
  if (rankOf(x) != 3 || rankOf(weights) != 2 || shapeOf(weights)[0] != shapeOf(x)[2] ||
      (bias && shapeOf(bias) != Shape{shapeOf(weights)[1]}))
    return n.error() << "an input of " << typeText(x) << ", weights of " << typeText(weights)
                     << (bias ? " and a bias of " + typeText(bias) : std::string()) << " do not fit";
  FailureOr<int64_t> columns = requireNumber(n, shapeOf(weights)[1], "the number of columns of the weights");
  if (failed(columns))
    return failure();
  Numbers sizes = n.intsAttr("qkv_hidden_sizes").value_or(Numbers(3, *columns / 3));
  if (sizes.size() != 3 || llvm::any_of(sizes, [](int64_t size) { return size < 1; }) || sizes[0] != sizes[1] ||
      sizes[0] + sizes[1] + sizes[2] != *columns)
    return n.error() << "expected qkv_hidden_sizes of three positive numbers, the first two of them equal, with a sum "
                     << "of " << *columns << ", the number of columns of the weights, found " << shapeText(sizes);

  Dim batch = shapeOf(x)[0], length = shapeOf(x)[1], first = 0;
  Value rows = b.reshape(x, {batch * length, shapeOf(x)[2]});
  SmallVector<Value> projected;
  for (int64_t size : sizes) {
    Value part = b.matmul(rows, b.slice(weights, 1, first, size));
    if (bias)
      part = b.add(part, b.slice(bias, 0, first, size));
    first += size;
    projected.push_back(b.reshape(part, {batch, length, size}));
  }
  return attendTo(n, projected, n.in(3), n.in(4), n.in(5));
}

/// Converts QAttention, whose projections are a single product of integers.
LogicalResult convertQAttention(NodeContext &n) {
  Value x = n.in(0), weights = n.in(1), bias = n.in(2);
  if (failed(refuse(n, {"do_rotary", "past_present_share_buffer"}, {})) || failed(n.requireFloat(bias)))
    return failure();
  if (rankOf(x) != 3 || rankOf(weights) != 2 || shapeOf(weights)[0] != shapeOf(x)[2])
    return n.error() << "an input of " << typeText(x) << " and weights of " << typeText(weights) << " do not fit";
  FailureOr<int64_t> columns = requireNumber(n, shapeOf(weights)[1], "the number of columns of the weights");
  if (failed(columns))
    return failure();
  if (*columns < 3 || *columns % 3)
    return n.error() << "the weights have " << *columns
                     << " columns, expected a multiple of 3 for query, key and value";
  FailureOr<Value> all = integerProduct(n, {0, n.in(3), n.in(6)}, {1, n.in(4), n.in(7)}, bias);
  if (failed(all))
    return failure();
  SmallVector<Value> projected;
  for (int64_t part = 0; part < 3; ++part)
    projected.push_back(n.b.slice(*all, 2, part * (*columns / 3), *columns / 3));
  return attendTo(n, projected, n.in(5), n.in(8), Value());
}

/// Adds `bias`, from the element `first` on, to a query, key or value, and splits the sum into heads. `bias` may be
/// null.
FailureOr<Value> readProjected(NodeContext &n, Value x, Value bias, const Dim &first, int64_t heads) {
  if (bias)
    x = n.b.add(x, n.b.slice(bias, 0, first, shapeOf(x)[2]));
  return splitHeads(n, x, "num_heads", heads);
}

/// Returns part `part` of `packed` [batch, positions, heads, parts, size] as a tensor [batch, positions, heads * size].
Value unpacked(Emitter &b, Value packed, int64_t part) {
  Shape shape = shapeOf(packed);
  return b.reshape(b.slice(packed, 3, part, 1), {shape[0], shape[1], shape[2] * shape[4]});
}

/// If one 5-d tensor contains query, key and value, or key and value, splits it into 3-d tensors. Does not change
/// operands that are not packed.
LogicalResult unpack(NodeContext &n, Value &query, Value &key, Value &value) {
  Value packed = key ? key : query;
  int64_t parts = key ? 2 : 3;
  if (value || rankOf(packed) != 5)
    return success();
  if (shapeOf(packed)[3] != parts || shapeOf(packed)[2] != n.intAttr("num_heads", 0))
    return n.error() << "expected [batch, positions, num_heads, " << parts << ", size], found " << typeText(packed);
  if (n.in(3))
    return n.error() << "a bias is not supported if one tensor contains query, key and value, or key and value";
  if (!key)
    query = unpacked(n.b, packed, 0);
  key = unpacked(n.b, packed, parts - 2);
  value = unpacked(n.b, packed, parts - 1);
  return success();
}

LogicalResult convertMultiHeadAttention(NodeContext &n) {
  Value query = n.in(0), key = n.in(1), value = n.in(2), bias = n.in(3);
  int64_t heads = n.intAttr("num_heads", 0);
  if (failed(refuse(n, {}, {{8, "past_sequence_length"}, {9, "cache_indirection"}})))
    return failure();
  if (n.wants(3))
    return n.error() << "the scores as an output are not supported";
  if (failed(unpack(n, query, key, value)))
    return failure();
  if (!key || !value || rankOf(query) != 3)
    return n.error() << "expected query, key and value, or several in one tensor of 5 dimensions, found "
                     << typeText(query) << (key ? " and " + typeText(key) : std::string());
  if (failed(n.requireFloat(query)) || failed(n.requireSameElements({query, key, value})) ||
      (bias && failed(n.requireSameElements({query, bias}))))
    return failure();
  AttentionOperands operands;
  operands.queryLayout = Layout::Bshd;
  if (rankOf(key) == 4 && rankOf(value) == 4) { // keys and values are already split into heads
    if (bias || n.in(6) || n.in(7) || n.wants(1) || n.wants(2))
      return n.error() << "a key of 4 dimensions with a bias, a past or a present is not supported";
    FailureOr<Value> split = splitHeads(n, query, "num_heads", heads);
    if (failed(split))
      return failure();
    operands.query = *split, operands.key = key, operands.value = value;
    operands.keyLayout = Layout::Bhsd;
  } else {
    if (rankOf(key) != 3 || rankOf(value) != 3)
      return n.error() << "key and value must both have 3 or both have 4 dimensions, found " << typeText(key) << " and "
                       << typeText(value);
    Dim width = shapeOf(query)[2];
    if (bias && (shapeOf(bias) != Shape{width + shapeOf(key)[2] + shapeOf(value)[2]}))
      return n.error() << "a bias of " << typeText(bias) << " does not fit query, key and value";
    FailureOr<Value> q = readProjected(n, query, bias, 0, heads);
    FailureOr<Value> k = failed(q) ? q : readProjected(n, key, bias, width, heads);
    FailureOr<Value> v = failed(k) ? k : readProjected(n, value, bias, width + shapeOf(key)[2], heads);
    if (failed(v))
      return failure();
    operands.query = *q, operands.key = *k, operands.value = *v;
    operands.keyLayout = Layout::Bshd;
    if (!n.in(6) != !n.in(7))
      return n.error() << "expected both past_key and past_value, or neither";
    if ((n.in(6) || n.wants(1) || n.wants(2)) && failed(prependPast(n, operands, n.in(6), n.in(7))))
      return failure();
    if (n.wants(1))
      (void)n.yield(1, operands.key);
    if (n.wants(2))
      (void)n.yield(2, operands.value);
  }
  if (failed(readSizes(n, operands)) || failed(readMaskAndBias(n, operands, n.in(4), n.in(5))))
    return failure();
  return yieldAttention(n, operands);
}

} // namespace

void heddle::onnx::addOnnxRuntimeAttention(OpTable &table) {
  table["Attention"] = {convertAttention, 2, 7};
  table["MultiHeadAttention"] = {convertMultiHeadAttention, 1, 10};
  table["QAttention"] = {convertQAttention, 5, 9, 1, INT64_MAX, SmallUse::Supported};
}
