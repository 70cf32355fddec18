//===- Decoder.cpp - the base class of decoders ---------------------------===//

#include "Decoder.h"

#include "PooledTokens.h"
#include "Tensors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

Value Decoder::embed(Layers &layers, Value ids) {
  return layers.embed(embedding, vocabulary, hidden, ids);
}

/// Returns a mask [batch, 1, queries, keys] from `mask` [batch, keys]. An element is true if the query attends to the
/// key: the key belongs to a token (not to padding), is not after the query and, if there is a `window`, is fewer than
/// `window` positions before the query.
static Value maskBefore(Layers &layers, Value mask, std::optional<int64_t> window) {
  MainBuilder &main = layers.main;
  auto type = RankedTensorType::get(numbersOf({layers.batch, 1, layers.sequence, layers.sequence}), main.getI1Type());
  Value empty = tensor::EmptyOp::create(main, type.getShape(), type.getElementType());
  AffineMap all = main.getMultiDimIdentityMap(4), keys = all.getSubMap({0, 3});
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      main, TypeRange{type}, ValueRange{mask}, ValueRange{empty}, ArrayRef<AffineMap>{keys, all}, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value query = linalg::IndexOp::create(nested, loc, 2), key = linalg::IndexOp::create(nested, loc, 3);
        Value kept = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::sle, key, query);
        kept = arith::AndIOp::create(nested, loc, kept, arguments[0]);
        if (window) {
          Value size = arith::ConstantIndexOp::create(nested, loc, *window);
          Value end = arith::AddIOp::create(nested, loc, key, size);
          Value near = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::slt, query, end);
          kept = arith::AndIOp::create(nested, loc, kept, near);
        }
        linalg::YieldOp::create(nested, loc, kept);
      });
  return generic.getResult(0);
}

AttentionTraits Decoder::attendTokens(Layers &layers, const TokenInputs &inputs, std::optional<int64_t> window) {
  AttentionTraits traits;
  // A state contains no padding before the first token, so the number of keys of each sequence is used instead of the
  // mask.
  if (layers.past) {
    traits.keyLengths = layers.past->lengths;
    traits.causal = Causal::LowerRight;
    if (window)
      traits.window = {*window - 1, -1};
    return traits;
  }
  if (attendsEvenly) {
    traits.mask = maskBefore(layers, inputs.mask, window);
    return traits;
  }
  traits.mask = layers.maskKeys(inputs.mask);
  traits.maskedScore = -std::numeric_limits<double>::infinity();
  traits.causal = bidirectional ? Causal::None : Causal::LowerRight;
  if (window)
    traits.window = {*window - 1, bidirectional ? *window - 1 : -1};
  return traits;
}

void Decoder::read(Config &config, Head kind) {
  readModel(config);
  head = kind;
  bool tied = config.flag("tie_word_embeddings", tiedByDefault);
  if (head == Head::CausalLM) {
    last.weights = {"lm_head.weight", "embed_out.weight"}; // older files of gpt_neox use the name embed_out
    if (tied)
      last.weights.append({std::string(prefix) + embedding, embedding});
    last.out = vocabulary;
  }
  if (head == Head::TokenClassification)
    last.classify(config, tokenClassifier);
  if (head != Head::SequenceClassification)
    return;
  last.classify(config, "score");
  last.biases.clear();
  constexpr StringRef field = "pad_token_id";
  if (config.has(field) || (config.isMissing(field) && paddingByDefault))
    padding = config.sizeOr(field, paddingByDefault.value_or(0), /*minimum=*/0);
  else
    config.refuse(field)
        << "expected the id of the padding token: the model classifies the last token that is not padding";
}

Value Decoder::takeLast(Layers &layers, Value ids, Value state) {
  MainBuilder &main = layers.main;
  auto type = cast<RankedTensorType>(ids.getType()).clone(main.getI1Type());
  Value empty = tensor::EmptyOp::create(main, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, main.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      main, TypeRange{type}, ValueRange{ids}, ValueRange{empty}, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value token = arith::ConstantIntOp::create(nested, loc, padding, 64);
        Value other = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne, arguments[0], token);
        // If a sequence consists of padding only, its first token is used.
        Value zero = arith::ConstantIndexOp::create(nested, loc, 0);
        Value place = linalg::IndexOp::create(nested, loc, 1);
        Value first = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, place, zero);
        linalg::YieldOp::create(nested, loc, arith::OrIOp::create(nested, loc, other, first).getResult());
      });
  return lastOfTokens(main, state, generic.getResult(0));
}

NamedValues Decoder::buildHead(Layers &layers, const TokenInputs &inputs, Value state) {
  if (head == Head::SequenceClassification)
    state = takeLast(layers, inputs.ids, state);
  Value logits = last.build(layers, state, inputs.mask);
  if (!logitCap || head != Head::CausalLM)
    return {{last.name, logits}};
  Value cap = splat(layers.main, cast<RankedTensorType>(logits.getType()), *logitCap);
  Value curve = math::TanhOp::create(layers.main, arith::DivFOp::create(layers.main, logits, cap));
  return {{last.name, arith::MulFOp::create(layers.main, curve, cap)}};
}

void RotaryDecoder::readRotary(Config &config, int64_t headSize, int64_t maxPositions, const Rotary::Fields &fields) {
  positions = 1 << 20; // rotary embeddings do not limit the number of positions
  capacity = config.sizeOr("max_position_embeddings", maxPositions);
  rotary.read(config, headSize, capacity, fields);
}

void RotaryDecoder::checkCapacity(Config &config, int64_t maximum) { rotary.checkCapacity(config, maximum); }

int64_t RotaryDecoder::maxCapacity() const { return std::min(capacity, rotary.maxCapacity()); }

void RotaryDecoder::checkLengths(Config &config, int64_t low, int64_t high) {
  rotary.checkLengths(config, low, high);
}

void heddle::refuseUnlessPlain(Config &config, ArrayRef<StringRef> flags, ArrayRef<StringRef> sizes) {
  for (StringRef field : flags)
    if (config.flag(field))
      config.refuse(field) << "only false is supported";
  for (StringRef field : sizes)
    if (config.sizeOr(field, 1) != 1)
      config.refuse(field) << "only 1 is supported";
}

std::optional<int64_t> heddle::readOptional(Config &config, StringRef field, std::optional<int64_t> fallback,
                                            int64_t minimum) {
  if (config.has(field))
    return config.size(field, minimum);
  return config.isMissing(field) ? fallback : std::nullopt;
}

SmallVector<std::optional<int64_t>> heddle::readWindows(Config &config, int64_t layers, std::optional<int64_t> window,
                                                        function_ref<bool(int64_t)> isSliding) {
  constexpr StringRef field = "layer_types";
  std::vector<std::string> types = config.strings(field);
  if (types.empty())
    for (int64_t i = 0; i < layers; ++i)
      types.push_back(isSliding(i) ? "sliding_attention" : "full_attention");
  SmallVector<std::optional<int64_t>> windows;
  for (const std::string &type : types) {
    bool slides = type == "sliding_attention";
    if (!slides && type != "full_attention") {
      config.refuse(field) << "'" << type << "' is not supported, only full_attention and sliding_attention";
      return windows;
    }
    if (slides && !window) {
      config.refuse("sliding_window") << "expected a size: some layers attend to a window of this size";
      return windows;
    }
    windows.push_back(slides ? window : std::nullopt);
  }
  if (int64_t(windows.size()) != layers)
    config.refuse(field) << "expected the types of " << layers << " layers, found " << windows.size();
  return windows;
}
