//===- GgufConfig.cpp - metadata as the fields of a config.json -----------===//

#include "GgufConfig.h"

#include "llvm/Support/Endian.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using llvm::json::Array, llvm::json::Object;

/// The beginnings of keys that describe the file, its tokenizer or its origin, but not what the model computes.
static constexpr StringRef otherKeys[] = {"general.", "mradermacher.", "quantize.", "split.", "tokenizer."};

/// Returns a value as a text for messages.
static std::string textOf(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

GgufConfig::GgufConfig(const GgufShards &shards, const GgufArchitecture &architecture)
    : shards(shards), architecture(architecture) {}

InFlightDiagnostic GgufConfig::refuse(StringRef key) {
  bad = true;
  return emitError(shards.first().getLoc()) << fullKey(key) << ": ";
}

llvm::json::Value GgufConfig::scalar(StringRef key) {
  std::string full = fullKey(key);
  known.insert(full);
  const GgufValue *found = shards.first().find(full);
  if (!found)
    return nullptr;
  std::optional<llvm::json::Value> value = found->toJson();
  if (!value) {
    refuse(key) << "an array of " << found->count << " elements is not supported";
    return nullptr;
  }
  const Array *elements = value->getAsArray();
  if (!elements)
    return *value;
  std::optional<int64_t> layers = shards.first().get(fullKey("block_count")).getAsInteger();
  if (!layers) // the number of layers is missing or is itself an array
    refuse(key) << "expected a number, found an array";
  else if (int64_t(elements->size()) != *layers)
    refuse(key) << "expected a value for each layer, that is " << *layers << " values, found " << elements->size();
  else if (elements->empty()) // there is no layer, either
    refuse(key) << "expected a number, found an empty array";
  else if (llvm::all_equal(*elements))
    return elements->front();
  else
    refuse(key) << "values that differ between layers are not supported";
  return nullptr;
}

void GgufConfig::set(StringRef field, llvm::json::Value value, StringRef key) {
  fields[field] = std::move(value);
  origins[field] = key.empty() ? "" : fullKey(key);
}

void GgufConfig::take(const GgufKeyField &keyField) {
  origins[keyField.field] = fullKey(keyField.key); // also for the message about a missing key
  llvm::json::Value value = scalar(keyField.key);
  if (value.kind() != llvm::json::Value::Null)
    fields[keyField.field] = std::move(value);
  else if (keyField.isRequired && !bad)
    refuse(keyField.key) << "expected a number, but the key is missing";
}

double GgufConfig::number(StringRef key, double fallback) {
  llvm::json::Value value = scalar(key);
  if (value.kind() == llvm::json::Value::Null)
    return fallback;
  if (std::optional<double> found = value.getAsNumber())
    return *found;
  refuse(key) << "expected a number, found " << textOf(value);
  return fallback;
}

void GgufConfig::expect(StringRef key, const llvm::json::Value &expected) {
  llvm::json::Value value = scalar(key);
  if (value.kind() != llvm::json::Value::Null && value != expected)
    refuse(key) << "only " << textOf(expected) << " is supported, found " << textOf(value);
}

void GgufConfig::setVocabulary() {
  const GgufTensor *table = shards.find("token_embd.weight");
  if (!table)
    return (void)(bad = true, emitError(shards.first().getLoc()) << "the file has no tensor 'token_embd.weight'");
  fields["vocab_size"] = table->shape.front();
  origins["vocab_size"] = table->name.str();
  expect("vocab_size", table->shape.front());
}

void GgufConfig::setEncoder() {
  expect("attention.causal", false);
  if (const GgufTensor *types = shards.find("token_types.weight"))
    set("type_vocab_size", types->shape.front());
  // The kinds of pooling in the order of llama.cpp's numbers.
  static constexpr const char *kinds[] = {"", "mean", "cls", "lasttoken"};
  double kind = number("pooling_type", 0);
  if (kind != 0 && kind != 1 && kind != 2 && kind != 3)
    refuse("pooling_type") << "only 0 to 3 are supported, found " << textOf(kind);
  else
    pooling = kinds[int(kind)];
}

void GgufConfig::setDecoder() {
  expect("attention.causal", true);
  fields["tie_word_embeddings"] = !hasTensor("output.weight");
}

void GgufConfig::setHeads() {
  setDecoder();
  int64_t hidden = integer("hidden_size"), heads = integer("num_attention_heads");
  if (!fields.get("num_key_value_heads"))
    set("num_key_value_heads", heads, "attention.head_count");
  take({"attention.key_length", "head_dim"});
  if (!fields.get("head_dim") && heads > 0 && hidden > 0) {
    if (hidden % heads)
      refuse("embedding_length") << "expected a multiple of " << fullKey("attention.head_count") << ", found " << hidden
                                 << " and " << heads;
    set("head_dim", hidden / heads, "embedding_length");
  }
  // Rotary embeddings rotate pairs of elements.
  if (int64_t size = integer("head_dim"); size % 2 && !bad) {
    bad = true;
    emitError(shards.first().getLoc()) << origins["head_dim"]
                                       << ": expected heads of an even number of elements, found " << size;
    return;
  }
  if (const llvm::json::Value *size = fields.get("head_dim")) {
    expect("attention.value_length", *size);
    if (!architecture.hasPartialRotation)
      expect("rope.dimension_count", *size);
    else if (double part = number("rope.dimension_count", double(integer("head_dim"))) / double(integer("head_dim"));
             part != 1)
      set("partial_rotary_factor", std::nextafter(part, 2), "rope.dimension_count"); // Rotary.cpp truncates the product
  }
}

double GgufConfig::rotaryBase(StringRef base, const std::string &field) {
  origins[field] = fullKey(base);
  return number(base, 10000);
}

void GgufConfig::addScaling(Object &parameters, const std::string &field) {
  llvm::json::Value type = scalar("rope.scaling.type");
  double factor = number("rope.scaling.factor", 0);
  scalar("rope.scaling.finetuned");               // known but unused: describes how the model was trained
  scalar("rope.scaling.original_context_length"); // known but unused by linear scaling
  if (!hasFactors())
    expect("rope.scaling.attn_factor", 1.0);
  if (type.kind() != llvm::json::Value::Null && !type.getAsString())
    refuse("rope.scaling.type") << "expected a string, found " << textOf(type);
  // Without a type, llama.cpp applies a factor as linear scaling. A factor of 0 means none.
  std::string name = type.getAsString().value_or("linear").str();
  if (name != "none" && name != "linear")
    refuse("rope.scaling.type") << "'" << name << "' is not supported, only none and linear";
  bool isScaled = name == "linear" && factor != 0 && factor != 1;
  parameters["rope_type"] = isScaled ? "linear" : "default";
  if (!isScaled)
    return;
  parameters["factor"] = factor;
  origins[field + ".factor"] = fullKey("rope.scaling.factor");
}

void GgufConfig::addFactors(Object &parameters, const std::string &field) {
  constexpr int64_t maxFactors = 1 << 15;
  std::pair<const char *, StringRef> names[] = {{"short_factor", architecture.shortFactors},
                                                {"long_factor", architecture.longFactors}};
  if (!hasFactors())
    return;
  bool isPlain = parameters.getString("rope_type") == "default";
  for (const auto &[name, tensorName] : names) {
    const GgufTensor *tensor = shards.find(tensorName);
    if (!tensor || tensor->type.name != "F32" || tensor->shape.size() != 1 || tensor->shape[0] > maxFactors ||
        !isPlain) {
      bad = true;
      emitError(shards.first().getLoc()) << "tensor '" << tensorName << "': expected a vector of F32 with at most "
                                         << maxFactors << " elements, and no other scaling of rotary embeddings";
      return;
    }
    Array factors;
    for (int64_t i = 0; i < tensor->shape[0]; ++i)
      factors.push_back(double(llvm::bit_cast<float>(llvm::support::endian::read32le(tensor->bytes.data() + 4 * i))));
    parameters[name] = std::move(factors);
    origins[field + "." + name] = tensorName.str();
    tensors.insert(tensorName.str());
  }
  // The type longrope divides each frequency by a factor, too, and multiplies cosines and sines by another factor.
  parameters["rope_type"] = "longrope";
  parameters["factor"] = 1.0;
  parameters["attention_factor"] = number("rope.scaling.attn_factor", 1);
  origins[field + ".attention_factor"] = fullKey("rope.scaling.attn_factor");
}

void GgufConfig::setRotary(StringRef windowBase) {
  const std::string field = "rope_parameters", all = windowBase.empty() ? field : field + ".full_attention";
  Object parameters{{"rope_theta", rotaryBase("rope.freq_base", all + ".rope_theta")}};
  addScaling(parameters, all);
  addFactors(parameters, all);
  if (windowBase.empty()) {
    fields[field] = std::move(parameters);
    return;
  }
  double base = rotaryBase(windowBase, field + ".sliding_attention.rope_theta");
  fields[field] = Object{{"full_attention", std::move(parameters)},
                         {"sliding_attention", Object{{"rope_type", "default"}, {"rope_theta", base}}}};
}

void GgufConfig::refuseUnread() {
  for (const auto &[key, value] : shards.first().getValues()) {
    auto isBegin = [key = key](StringRef begin) { return key.starts_with(begin); };
    if (known.count(key.str()) || llvm::any_of(otherKeys, isBegin))
      continue;
    bad = true;
    emitError(shards.first().getLoc()) << key << ": this key is not known, and may change what the model computes";
  }
}

LogicalResult GgufConfig::read() {
  fields["model_type"] = architecture.modelType;
  for (ArrayRef<GgufKeyField> list : architecture.keys)
    for (const GgufKeyField &keyField : list)
      take(keyField);
  setVocabulary();
  expect("expert_count", 0);
  expect("expert_used_count", 0);
  if (!bad && architecture.complete)
    architecture.complete(*this);
  if (!bad) // otherwise keys may not have been read because of the error
    refuseUnread();
  return failure(bad);
}
