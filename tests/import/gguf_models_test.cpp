//===- gguf_models_test.cpp - results of GGUF files -----------------------===//
//
// tests/data/gguf contains models that make_gguf.py wrote with the package of llama.cpp. Each model is also a Hugging
// Face directory, possibly with other values of some fields, and must have the same results as this directory.
//
//===----------------------------------------------------------------------===//

#include "GgufTest.h"

#include "../../compiler/import/gguf/GgufConfig.h"

#include "llvm/ADT/APFloat.h"

namespace {

TEST_F(GgufModels, ResultsEqualThoseOfTheDirectory) {
  FailureOr<llvm::json::Object> cases = readJsonObject(context, ggufFiles + "cases.json");
  ASSERT_TRUE(succeeded(cases)) << context.take();
  EXPECT_EQ(cases->size(), 9u);
  for (const auto &[name, value] : *cases) {
    SCOPED_TRACE(StringRef(name).str());
    const llvm::json::Object &entry = *value.getAsObject();
    std::vector<double> found = logitsOf(import(ggufFiles + StringRef(name).str() + ".gguf"));
    FailureOr<Model> directory = importWith(entry.getString("directory")->str(), *entry.getObject("fields"));
    EXPECT_LE(differenceOf(found, logitsOf(std::move(directory))), 1e-6);
  }
}

/// transformers computed the stored results of the directory.
TEST_F(GgufModels, ResultsEqualThoseOfTransformers) {
  WeightStore wanted;
  ASSERT_TRUE(succeeded(readSafetensors(context, modelDirectories + "tiny-llama/expected.safetensors", wanted)));
  const StoredTensor &stored = *wanted.find("logits");
  auto expected = Tensor::fromBytes(stored.type.getShape(), stored.type.getElementType(), stored.bytes);
  EXPECT_LE(differenceOf(logitsOf(import(ggufFiles + "llama.gguf")), expected->floats().vec()), 5e-6);
}

/// Returns the elements of a tensor of type F32.
std::vector<float> floatsOf(const std::string &bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}
std::string bytesOfFloats(const std::vector<float> &floats) {
  return std::string(reinterpret_cast<const char *>(floats.data()), floats.size() * sizeof(float));
}

/// Tensors of 16-bit floats mean their numbers in f32.
TEST_F(GgufModels, NarrowFloatsAreWidened) {
  for (auto [type, semantics] : {std::pair(ggufF16, &APFloat::IEEEhalf()), std::pair(ggufBf16, &APFloat::BFloat())}) {
    GgufWriter narrow = load("llama"), wide = narrow;
    for (auto [tensor, same] : llvm::zip_equal(narrow.tensors, wide.tensors)) {
      std::vector<float> rounded;
      if (tensor.shape.size() != 2)
        continue;
      std::string bytes;
      for (float number : floatsOf(tensor.bytes)) {
        APFloat value(number);
        bool isInexact;
        value.convert(*semantics, APFloat::rmNearestTiesToEven, &isInexact);
        bytes += ggufBytes(uint16_t(value.bitcastToAPInt().getZExtValue()));
        value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &isInexact);
        rounded.push_back(value.convertToFloat());
      }
      tensor.type = type;
      tensor.bytes = bytes;
      same.bytes = bytesOfFloats(rounded);
    }
    EXPECT_EQ(differenceOf(logitsOf(import(narrow)), logitsOf(import(wide))), 0);
    EXPECT_GT(differenceOf(logitsOf(import(narrow)), logitsOf(import(load("llama")))), 1e-5);
  }
}

/// Returns the number at `at` in `bytes`, an f16.
float halfAt(const std::string &bytes, size_t at) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, uint8_t(bytes[at]) | uint8_t(bytes[at + 1]) << 8));
  bool isInexact;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &isInexact);
  return value.convertToFloat();
}

/// Returns the numbers for which the bytes of a tensor in blocks stand, as ggml's functions dequantize_row_q* compute
/// them.
std::vector<float> dequantize(const std::string &bytes, uint32_t type) {
  std::vector<float> numbers;
  size_t header = type == ggufQ41 ? 4 : 2, codes = type == ggufQ8 ? 32 : 16;
  for (size_t at = 0; at < bytes.size(); at += header + codes) {
    float scale = halfAt(bytes, at);
    for (size_t i = 0; i < 32; ++i) {
      uint8_t byte = bytes[at + header + i % codes], nibble = i < 16 ? byte & 15 : byte >> 4;
      if (type == ggufQ8)
        numbers.push_back(float(int8_t(byte)) * scale);
      else if (type == ggufQ40)
        numbers.push_back(float(int(nibble) - 8) * scale);
      else
        numbers.push_back(float(nibble) * scale + halfAt(bytes, at + 2));
    }
  }
  return numbers;
}

/// A quantised model has the results of the model with the numbers for which its blocks stand. All codes occur, also
/// -128 in Q8_0, which ggml does not write. The embeddings of gemma3 are also the weight of the last layer.
TEST_F(GgufModels, BlocksStandForTheirNumbers) {
  for (auto [name, type, bytes] : {std::tuple("llama-q8_0", ggufQ8, 34), std::tuple("gemma3-q8_0", ggufQ8, 34),
                                   std::tuple("llama-q4_0", ggufQ40, 18), std::tuple("llama-q4_1", ggufQ41, 20)}) {
    SCOPED_TRACE(name);
    GgufWriter blocks = load(name), wide;
    for (auto [i, byte] : llvm::enumerate(blocks.find("blk.0.ffn_up.weight")->bytes))
      if (i % bytes >= 4 && i < size_t(bytes) * 20)
        byte = char(i);
    wide = blocks;
    int count = 0;
    for (GgufWriter::Tensor &tensor : wide.tensors)
      if (tensor.type != ggufF32) {
        EXPECT_EQ(tensor.type, type);
        tensor.bytes = bytesOfFloats(dequantize(tensor.bytes, type));
        tensor.type = ggufF32;
        ++count;
      }
    EXPECT_GE(count, 8);
    FailureOr<Model> model = import(blocks);
    ASSERT_TRUE(succeeded(model)) << context.take();
    int layers = 0;
    model->module->walk([&](LinearOp op) { layers += op.getWeight().getDefiningOp<DequantizeOp>() != nullptr; });
    EXPECT_EQ(layers, 8);
    // With minima, the numbers in f32 are rounded; otherwise they are exact.
    double bound = type == ggufQ41 ? 1e-5 : 1e-12;
    EXPECT_LE(differenceOf(logitsOf(std::move(model)), logitsOf(import(wide))), bound);
  }
}

/// The tensor rope_freqs contains the factors of llama3's scaling, by which frequencies are divided.
TEST_F(GgufModels, RotaryFactorsAreThoseOfLlama3) {
  constexpr double theta = 500, factor = 8, low = 1, high = 4, original = 32, pi = 3.14159265358979323846;
  std::vector<float> factors;
  for (int64_t i = 0; i < 2; ++i) {
    double wave = 2 * pi * std::pow(theta, 2 * i / 4.0), smooth = (original / wave - low) / (high - low);
    factors.push_back(wave < original / high  ? 1
                      : wave > original / low ? float(factor)
                                              : float(1 / ((1 - smooth) / factor + smooth)));
  }
  GgufWriter writer = load("llama");
  writer.tensors.push_back({"rope_freqs.weight", {2}, ggufF32, bytesOfFloats(factors)});
  llvm::json::Object parameters{{"rope_type", "llama3"},      {"rope_theta", theta},    {"factor", factor},
                                {"low_freq_factor", low},     {"high_freq_factor", high},
                                {"original_max_position_embeddings", int64_t(original)}};
  std::vector<double> expected =
      logitsOf(importWith("tiny-llama", llvm::json::Object{{"rope_parameters", std::move(parameters)}}));
  EXPECT_LE(differenceOf(logitsOf(import(writer)), expected), 1e-5);
  EXPECT_GT(differenceOf(logitsOf(import(load("llama"))), expected), 1e-3);

  writer.tensors.back().bytes = bytesOfFloats({1, 0});
  EXPECT_EQ(errorOf(writer), "rope_freqs.weight: expected 2 numbers above 0, one for each pair of a head\n"
                             "rope_freqs.weight: expected 2 numbers above 0, one for each pair of a head\n");
  GgufWriter qwen = load("qwen2");
  qwen.tensors.push_back({"rope_freqs.weight", {2}, ggufF32, bytesOfFloats(factors)});
  EXPECT_EQ(errorOf(qwen), "tensor 'rope_freqs.weight': the model has no such tensor, which may change what it "
                           "computes\n");
}

TEST_F(GgufModels, LinearScalingDividesFrequencies) {
  llvm::json::Object parameters{{"rope_type", "linear"}, {"rope_theta", 500}, {"factor", 2.5}};
  std::vector<double> expected =
      logitsOf(importWith("tiny-llama", llvm::json::Object{{"rope_parameters", std::move(parameters)}}));
  GgufWriter writer = load("llama");
  writer.set("llama.rope.scaling.factor", 2.5f);
  EXPECT_LE(differenceOf(logitsOf(import(writer)), expected), 1e-6);
  writer.set("llama.rope.scaling.type", "linear");
  EXPECT_LE(differenceOf(logitsOf(import(writer)), expected), 1e-6);
  writer.set("llama.rope.scaling.type", "none");
  EXPECT_EQ(differenceOf(logitsOf(import(writer)), logitsOf(import(load("llama")))), 0);
  writer.set("llama.rope.scaling.type", "yarn");
  EXPECT_EQ(errorOf(writer), "llama.rope.scaling.type: 'yarn' is not supported, only none and linear\n");
}

/// The factor of scores is not in the file: it follows from the size of a head, except in models of 27 billion
/// parameters.
TEST_F(GgufModels, ScoresOfGemmaDependOnTheNumberOfLayers) {
  for (auto [name, layers, expected] :
       {std::tuple("gemma2", 26, 6), std::tuple("gemma2", 46, 4), std::tuple("gemma2", 62, 6),
        std::tuple("gemma3", 46, 6), std::tuple("gemma3", 62, 4)}) {
    GgufWriter writer = load(name);
    writer.set(std::string(name) + ".block_count", uint32_t(layers));
    FailureOr<GgufShards> shards = GgufShards::read(context, dir.write("model.gguf", writer.bytes()));
    ASSERT_TRUE(succeeded(shards)) << context.take();
    auto isNamed = [name = name](const GgufArchitecture &one) { return one.name == name; };
    auto *architecture = llvm::find_if(getGgufArchitectures(), isNamed);
    GgufConfig config(*shards, *architecture);
    ASSERT_TRUE(succeeded(config.read())) << context.take();
    EXPECT_EQ(config.integer("query_pre_attn_scalar"), expected) << name << " " << layers;
  }
}

TEST_F(GgufModels, ShardsAreOneModel) {
  GgufWriter whole = load("llama"), parts[2];
  parts[0].keys = whole.keys;
  for (auto [i, tensor] : llvm::enumerate(whole.tensors))
    parts[i % 2].tensors.push_back(tensor);
  for (auto [i, part] : llvm::enumerate(parts)) {
    part.set("split.no", GgufKind::UInt16, ggufBytes(uint16_t(i)));
    part.set("split.count", GgufKind::UInt16, ggufBytes(uint16_t(2)));
    part.set("split.tensors.count", GgufKind::Int32, ggufBytes(int32_t(whole.tensors.size())));
  }
  auto writeSecond = [&] { return dir.write("m-00002-of-00002.gguf", parts[1].bytes()); };
  std::string first = dir.write("m-00001-of-00002.gguf", parts[0].bytes()), second = writeSecond();
  EXPECT_EQ(differenceOf(logitsOf(import(first)), logitsOf(import(ggufFiles + "llama.gguf"))), 0);

  auto error = [&](const std::string &path) {
    EXPECT_TRUE(failed(import(path)));
    return context.take();
  };
  EXPECT_EQ(error(second), "split.no: the file is not the first of 2 shards: give the file whose name ends in "
                           "-00001-of-00002.gguf\n");
  EXPECT_EQ(errorOf(parts[0]), "expected the first of 2 shards to have a name that ends in -00001-of-00002.gguf\n");
  parts[1].set("split.no", GgufKind::UInt16, ggufBytes(uint16_t(2)));
  writeSecond();
  EXPECT_EQ(error(first), "split.no: expected 1, found 2\n");
  parts[1].set("split.no", GgufKind::UInt16, ggufBytes(uint16_t(1)));
  parts[1].tensors.pop_back();
  writeSecond();
  EXPECT_EQ(error(first), "split.tensors.count: expected " + std::to_string(whole.tensors.size() - 1) + ", found " +
                              std::to_string(whole.tensors.size()) + "\n");
  parts[1].tensors.push_back(whole.tensors[0]);
  writeSecond();
  EXPECT_EQ(error(first), "tensor '" + whole.tensors[0].name + "': another tensor has this name\n");
  llvm::sys::fs::remove(second);
  EXPECT_NE(error(first), "");
}

} // namespace
