//===- MixedLayers.cpp - layers in random graphs --------------------------===//

#include "MixedGraph.h"

namespace {
/// Collects the text of an operation in MLIR: its operands, their types, and its clauses, such as causal(lower_right).
struct Written {
  std::string text, types;

  /// Adds an operand; in the form keyword(operand) if `keyword` is not null.
  void operand(const GraphValue &value, const char *keyword = nullptr) {
    std::string name = (text.empty() ? "" : ", ") + value.name;
    if (keyword)
      name = std::string(" ") + keyword + "(" + value.name + ")";
    text += name;
    types += (types.empty() ? "" : ", ") + value.type();
  }
  void clause(const std::string &word) { text += " " + word; }
  /// Returns the text for results of the types `results`.
  std::string to(const std::string &results) const { return text + " : (" + types + ") -> " + results; }
};
} // namespace

static const char *const activations[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"};

void MixedGraph::attention() {
  GraphValue q = realOfRank(4);
  bool inside = chance(30); // If true, the layout is bshd, and otherwise bhsd.
  int64_t batch = q.shape[0], heads = q.shape[inside ? 2 : 1], rows = q.shape[inside ? 1 : 2], d = q.shape[3];
  if (isRange(heads) || isRange(d))
    return;
  int64_t groups = chance(50) ? heads : 1, keys = chance(50) ? rows : std::min<int64_t>(extent(), 64);
  if (isRange(keys) && isRange(batch))
    keys = 7;
  int64_t dv = chance(70) ? d : 1 + int64_t(pick(20));
  auto shape = [&](int64_t count, int64_t length, int64_t size) {
    return inside ? Shape{batch, length, count, size} : Shape{batch, count, length, size};
  };
  Written op;
  op.operand(q);
  op.operand(real(shape(groups, keys, d)));
  op.operand(real(shape(groups, keys, dv)));
  if (chance(25))
    op.operand(real({rows, keys}), "bias");
  if (chance(25))
    op.operand(boolean(chance(50) ? Shape{keys} : Shape{batch, 1, 1, keys}), "mask");
  if (chance(20))
    op.clause(chance(50) ? "causal(lower_right)" : "causal(upper_left)");
  if (chance(20))
    op.clause("scale(3.0e-01)");
  if (chance(15))
    op.clause("softcap(5.0)");
  if (chance(15))
    op.clause("window(3, 2)");
  if (chance(15))
    op.clause(chance(50) ? "empty_row(nan_to_zeros)" : "masked_score(-1.0e+04)");
  if (inside)
    op.clause("query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)");
  op.clause(regions());
  Shape result = shape(heads, rows, dv);
  emit(op.to(typeOf(result, type)), result, "heddle.attention", type);
}

/// Returns regions `score` and `probability` of an attention, which compute new scores and probabilities. In most
/// cases, there are none.
std::string MixedGraph::regions() {
  std::string t = type == "f64" ? "f64" : "f32", arguments = ": " + t + ", %b: index, %h: index, %i: index, %j: index):\n";
  std::string text;
  if (chance(15))
    text += "score {\n  ^bb0(%s" + arguments + "    %n = arith.subi %j, %i : index\n" +
            "    %w = arith.index_cast %n : index to i32\n    %f = arith.sitofp %w : i32 to " + t +
            "\n    %c = arith.constant 6.25e-02 : " + t + "\n    %e = arith.mulf %f, %c : " + t +
            "\n    %y = arith.addf %s, %e : " + t + "\n    heddle.yield %y : " + t + "\n  } ";
  if (chance(15))
    text += "probability {\n  ^bb0(%p" + arguments + "    %y = arith." + (chance(50) ? "mulf" : "addf") + " %p, %p : " + t +
            "\n    heddle.yield %y : " + t + "\n  }";
  return text;
}

void MixedGraph::norm() {
  GraphValue x = real();
  if (isRange(x.shape.back()))
    return;
  bool layer = chance(50);
  Shape row = {x.shape.back()};
  Written op;
  op.operand(x);
  if (chance(50))
    op.operand(real(row), "scale");
  if (layer && chance(50))
    op.operand(real(row), "bias");
  if (chance(30))
    op.operand(real(x.shape), "residual");
  if (chance(80))
    op.clause("epsilon(1.0e-01)"); // large, since rows may have almost no variance; other tests cover such rows
  scaled(emit(op.to(x.type()), x.shape, layer ? "heddle.layer_norm" : "heddle.rms_norm", type), 3);
}

void MixedGraph::linear() {
  GraphValue x = real();
  int64_t k = x.shape.back(), n = extent();
  if (x.shape.size() < 2 || isRange(k) || isRange(n))
    return;
  Shape result = x.shape;
  result.back() = n;
  Written op;
  op.operand(x);
  op.operand(real({k, n}));
  if (chance(50))
    op.operand(real({n}), "bias");
  if (chance(30))
    op.operand(real(result), "residual");
  if (chance(50))
    op.clause(std::string("activation(") + activations[pick(6)] + ")");
  scaled(emit(op.to(typeOf(result, type)), result, "heddle.linear", type), 1.5 * std::sqrt(double(k)) + 2);
}

void MixedGraph::ffn() {
  GraphValue x = real();
  int64_t k = x.shape.back(), h = 1 + pick(40), n = chance(50) ? k : 1 + pick(20);
  if (x.shape.size() < 2 || isRange(k))
    return;
  Shape result = x.shape;
  result.back() = n;
  bool gated = chance(40);
  Written op;
  op.operand(x);
  op.operand(real({k, h}));
  op.operand(real({h, n}));
  if (chance(50))
    op.operand(real({h}), "up_bias");
  if (chance(50))
    op.operand(real({n}), "down_bias");
  if (gated)
    op.operand(real({k, h}), "gate");
  if (chance(30))
    op.operand(real(result), "residual");
  op.clause(std::string("activation(") + activations[pick(6)] + ")");
  scaled(emit(op.to(typeOf(result, type)), result, "heddle.ffn", type), double(k) * std::sqrt(double(h)) + 2);
}

void MixedGraph::rotary() {
  GraphValue x = realOfRank(4);
  bool inside = chance(50);
  int64_t length = x.shape[inside ? 1 : 2], d = x.shape[3];
  if (d % 2 || isRange(d))
    return;
  int64_t half = chance(60) ? d / 2 : 1;
  Shape table = chance(50) ? Shape{length, half} : Shape{x.shape[0], length, half};
  Written op;
  op.operand(x);
  op.operand(real(table));
  op.operand(real(table));
  if (chance(50))
    op.clause("interleaved");
  if (inside)
    op.clause("layout(bshd)");
  scaled(emit(op.to(x.type()), x.shape, "heddle.rotary_embedding", type), 2);
}

void MixedGraph::linearAttention() {
  GraphValue q = realOfRank(2 + pick(3));
  int64_t d = q.shape.back(), keys = 1 + pick(20), dv = chance(50) ? d : 1 + pick(20);
  if (isRange(d))
    return;
  Shape key = q.shape, value = q.shape, result = q.shape;
  key[key.size() - 2] = value[value.size() - 2] = keys;
  value.back() = result.back() = dv;
  Written op;
  op.operand(q);
  op.operand(real(key));
  op.operand(real(value));
  bool positive = chance(70);
  op.clause(positive ? "feature_map(elu_plus_one)" : "feature_map(identity)");
  if (positive && chance(50))
    op.clause("normalized");
  scaled(emit(op.to(typeOf(result, type)), result, "heddle.linear_attention", type), double(d * keys));
}

/// Adds recurrent attention with gates as in models: decay factors of at most 1, and keys whose norm is at most 1.
void MixedGraph::recurrentAttention() {
  GraphValue q = realOfRank(4);
  int64_t batch = q.shape[0], length = q.shape[1], heads = q.shape[2], d = q.shape[3];
  if (isRange(heads) || isRange(d))
    return;
  int64_t groups = chance(50) ? heads : 1, dv = chance(50) ? d : 1 + pick(20);
  auto shape = [&](int64_t size) { return Shape{batch, length, groups, size}; };
  Written op;
  op.operand(q);
  op.operand(withNumber("arith.mulf", within(real(shape(d))), 1 / std::sqrt(double(d))));
  op.operand(real(shape(dv)));
  if (chance(60))
    op.operand(unary("arith.negf", unary("math.absf", real(shape(chance(50) ? 1 : d)))), "decay");
  if (chance(50))
    op.operand(unary("math.absf", within(real(shape(1)))), "beta");
  if (chance(50))
    op.operand(real({batch, groups, d, dv}), "state");
  if (chance(30))
    op.clause("scale(3.0e-01)");
  Shape result = {batch, length, heads, dv}, state = {batch, groups, d, dv};
  GraphValue first{fresh(), result, 1, type};
  body += "  " + first.name + ":2 = heddle.recurrent_attention " +
          op.to("(" + typeOf(result, type) + ", " + typeOf(state, type) + ")") + "\n";
  // The magnitudes follow from the number of terms of each sum, one for each position.
  double terms = double(elements(length));
  values.push_back({first.name + "#0", result, terms * std::sqrt(double(d)), type});
  values.push_back({first.name + "#1", state, terms, type});
}

void MixedGraph::softmaxSome() {
  GraphValue x = real();
  softmax(x, chance(70) ? x.shape.size() - 1 : pick(x.shape.size()));
}

void MixedGraph::layerStep() {
  static const Step steps[] = {&MixedGraph::attention, &MixedGraph::attention, &MixedGraph::norm,
                               &MixedGraph::norm,      &MixedGraph::linear,    &MixedGraph::linear,
                               &MixedGraph::ffn,       &MixedGraph::rotary,    &MixedGraph::linearAttention,
                               &MixedGraph::softmaxSome, &MixedGraph::recurrentAttention};
  (this->*steps[pick(11)])();
}
