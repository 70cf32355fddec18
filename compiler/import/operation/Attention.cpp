//===- Attention.cpp - the quoted operation attention ---------------------===//
//
// Builds a model with one heddle.attention from words such as 'attention b=1 h=12 s=512 d=64 causal=lower_right'
// (Operation.h). Each word name=value is a knob.
//
//===----------------------------------------------------------------------===//

#include "AttentionRegions.h"

#include <limits>

using namespace mlir;
using namespace heddle;

namespace {
/// The numbers of batch entries, queries, keys, query heads and key heads, and the numbers of elements of a key and of
/// a value.
struct QuotedSizes {
  Dim b, sq, skv;
  int64_t hq, hkv, d, dv;
};
} // namespace

static QuotedSizes getSizes(Knobs &knobs) {
  QuotedSizes sizes;
  sizes.b = knobs.anySize({StringRef("b")}, 1);
  sizes.hq = knobs.size({StringRef("hq"), StringRef("h")}, 1);
  sizes.hkv = knobs.size("hkv", sizes.hq, "hq");
  std::optional<Dim> both;
  if (std::optional<StringRef> s = knobs.text("s", "a positive size, LOW..HIGH, or classes such as 1,2..8",
                                              "none; s sets both sq and skv"))
    both = knobs.readSize("s", *s, /*mayVary=*/true).value_or(1);
  sizes.sq = knobs.anySize({StringRef("sq")}, both, "s");
  sizes.skv = knobs.anySize({StringRef("skv")}, both ? *both : sizes.sq, "s, or sq");
  sizes.d = knobs.size("d");
  sizes.dv = knobs.size("dv", sizes.d, "d");
  return sizes;
}

/// Reads the knob `name`, which determines the shape of an operand that is broadcast to [b, hq, sq, skv]. If the value
/// is "0", there is no operand and the result is nothing. "1" means the full shape. Any other text is a suffix of
/// "bhqk" in which 1 replaces the letter of each dimension of extent 1. Dimensions without a letter also have extent 1.
/// For example, "qk" is [1, 1, sq, skv], and "b11k" is [b, 1, 1, skv].
static std::optional<SymbolicShape> getBroadcastShape(Knobs &knobs, StringRef name, const QuotedSizes &sizes) {
  std::optional<StringRef> text =
      knobs.text(name, "1 or the dimensions that are not broadcast, such as b11k or qk", "0");
  if (!text || *text == "0")
    return std::nullopt;
  const char letters[] = {'b', 'h', 'q', 'k'};
  const SymbolicShape full = {sizes.b, sizes.hq, sizes.sq, sizes.skv};
  if (*text == "1")
    return full;
  SymbolicShape shape(4, 1);
  if (text->size() > 4) {
    knobs.refuseValue(name);
    return shape;
  }
  size_t skipped = 4 - text->size();
  for (auto [i, c] : llvm::enumerate(*text))
    if (c == letters[skipped + i])
      shape[skipped + i] = full[skipped + i];
    else if (c != '1')
      knobs.refuseValue(name);
  return shape;
}

/// Reads the knob `window`: how many keys before and how many keys after its own position a query attends to.
/// Returns null if the user gives no window.
static DenseI64ArrayAttr getWindow(OperationBuilder &builder) {
  std::optional<StringRef> text = builder.knobs.text("window", "LEFT,RIGHT (-1: unlimited)", "none");
  if (!text || *text == "none")
    return {};
  auto [left, right] = text->split(text->contains(':') ? ':' : ',');
  int64_t extents[2] = {0, 0};
  if (left.getAsInteger(10, extents[0]) || right.getAsInteger(10, extents[1]) || extents[0] < -1 || extents[1] < -1)
    builder.knobs.refuseValue("window");
  return builder.main.getDenseI64ArrayAttr(extents);
}

static NamedResults buildAttention(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  QuotedSizes sizes = getSizes(knobs);
  auto number = [&](StringRef name, StringRef fallbackText) {
    std::optional<double> value = knobs.number(name, fallbackText);
    return value ? main.getF64FloatAttr(*value) : FloatAttr();
  };
  FloatAttr scale = number("scale", "1/sqrt(d)"), softcap = number("softcap", "none");
  std::optional<SymbolicShape> biasShape = getBroadcastShape(knobs, "bias", sizes);
  std::optional<SymbolicShape> maskShape = getBroadcastShape(knobs, "mask", sizes);
  FloatAttr maskedScore = number("masked_score", "-inf");
  auto causal = static_cast<Causal>(knobs.choice("causal", {"none", "lower_right", "upper_left"}));
  DenseI64ArrayAttr window = getWindow(builder);
  bool hasLengths = knobs.flag("key_lengths", false);
  auto emptyRow = static_cast<EmptyRow>(knobs.choice("empty_row", {"zeros", "nan", "nan_to_zeros"}));
  auto precision = static_cast<SoftmaxPrecision>(knobs.choice("softmax_precision", {"f32", "f64"}));
  unsigned rounding = knobs.choice("rounding", {"none", "bf16", "f16"});
  auto layout = static_cast<Layout>(knobs.choice("layout", {"bhsd", "bshd"}));
  AttentionRegions regions = AttentionRegions::read(knobs);
  bool withWeights = knobs.flag("weights", false);
  if (rounding &&
      (!builder.element.isF32() || precision != SoftmaxPrecision::F32 || withWeights || regions.changesWeights()))
    knobs.refuse("rounding",
                 "needs f32 elements, an f32 softmax, and probabilities that are neither returned nor changed");
  if (!builder.ready())
    return {};

  auto headShape = [&](Dim heads, Dim sequence, int64_t dim) -> SymbolicShape {
    if (layout == Layout::Bshd)
      std::swap(heads, sequence);
    return {sizes.b, heads, sequence, dim};
  };
  Value query = builder.input("q", headShape(sizes.hq, sizes.sq, sizes.d));
  Value key = builder.input("k", headShape(sizes.hkv, sizes.skv, sizes.d));
  Value value = builder.input("v", headShape(sizes.hkv, sizes.skv, sizes.dv));
  Value bias, mask, lengths;
  if (biasShape)
    bias = builder.input("bias", *biasShape);
  if (maskShape)
    mask = main.addInput("mask", RankedTensorType::get(numbersOf(*maskShape), main.getI1Type()));
  if (hasLengths) {
    InputTraits traits;
    traits.range = {0, numberOf(sizes.skv)};
    lengths = main.addInput("key_lengths", RankedTensorType::get(numberOf(sizes.b), main.getI64Type()), traits);
  }
  SmallVector<Value> reads = regions.addReads(builder, sizes.b, sizes.hq, sizes.sq, sizes.skv);
  SmallVector<Type> types = {builder.tensor(headShape(sizes.hq, sizes.sq, sizes.dv))};
  if (withWeights)
    types.push_back(builder.tensor({sizes.b, sizes.hq, sizes.sq, sizes.skv}));

  auto attention = AttentionOp::create(
      main, types, query, key, value, bias, mask, lengths, reads, scale, softcap, maskedScore,
      CausalAttr::get(main.getContext(), causal), window, EmptyRowAttr::get(main.getContext(), emptyRow),
      SoftmaxPrecisionAttr::get(main.getContext(), precision),
      rounding ? TypeAttr::get(rounding == 1 ? Type(main.getBF16Type()) : Type(main.getF16Type())) : TypeAttr(),
      LayoutAttr::get(main.getContext(), layout), LayoutAttr::get(main.getContext(), layout),
      LayoutAttr::get(main.getContext(), layout), LayoutAttr::get(main.getContext(), layout),
      withWeights ? main.getUnitAttr() : UnitAttr());
  regions.build(main, attention);
  NamedResults results = {{"out", attention.getResult()}};
  if (withWeights)
    results.push_back({"weights", attention.getWeights()});
  return results;
}

void heddle::quoteAttention(QuotedOperations &operations) {
  operations["attention"] = {"q, k, v [, bias, mask, key_lengths] -> out [, weights]", buildAttention};
}
