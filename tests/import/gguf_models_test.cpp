//===- gguf_models_test.cpp - results of GGUF files -----------------------===//
//
// tests/data/gguf contains models that make_gguf.py wrote with the package of llama.cpp. Each model is also a Hugging
// Face directory, possibly with other values of some fields, and must have the same results as this directory.
//
//===----------------------------------------------------------------------===//

#include "GgufTest.h"

#include "../../compiler/import/gguf/GgufConfig.h"

#include "formats/FormatReader.h"

#include "llvm/ADT/APFloat.h"

#include <random>

namespace {

TEST_F(GgufModels, ResultsEqualThoseOfTheDirectory) {
  FailureOr<llvm::json::Object> cases = readJsonObject(context, ggufFiles + "cases.json");
  ASSERT_TRUE(succeeded(cases)) << context.take();
  EXPECT_EQ(cases->size(), 13u);
  for (const auto &[name, value] : *cases) {
    SCOPED_TRACE(StringRef(name).str());
    const llvm::json::Object &entry = *value.getAsObject();
    std::vector<double> found = logitsOf(import(ggufFiles + StringRef(name).str() + ".gguf"));
    FailureOr<Model> directory = importWith(entry.getString("directory")->str(), *entry.getObject("fields"));
    EXPECT_LE(differenceOf(found, logitsOf(std::move(directory))), 1e-6);
  }
}

/// The stored results of the directory tiny-llama were computed by transformers.
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

/// The elements of tensors of 16-bit floats become the same numbers in f32.
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

/// Returns the numbers that the blocks of a tensor represent.
std::vector<float> dequantize(const std::string &bytes, Format format) {
  FormatReader reader(format);
  size_t length = format.getBlockLength(), group = format.getGroupLength();
  std::vector<int8_t> codes(length);
  std::vector<float> scales(length / group), offsets(length / group), numbers;
  for (size_t at = 0; at < bytes.size(); at += format.getBlockBytes()) {
    reader.readCodes(bytes.data() + at, codes);
    reader.readScales(bytes.data() + at, scales);
    reader.readOffsets(bytes.data() + at, offsets);
    for (size_t i = 0; i < length; ++i)
      numbers.push_back(float(codes[i]) * scales[i / group] + offsets[i / group]);
  }
  return numbers;
}

/// Returns `blocks` random blocks. Their scales and offsets are small, so the elements are small.
std::string randomBlocks(Format format, int64_t blocks) {
  static std::mt19937 random(1);
  std::string bytes(blocks * format.getBlockBytes(), '\0');
  std::generate(bytes.begin(), bytes.end(), [&] { return char(random()); });
  for (int64_t block = 0; block < blocks; ++block)
    for (const FormatPlane &plane : format.getPlanes()) {
      char *at = &bytes[block * format.getBlockBytes() + plane.bits.front().first / 8];
      if (plane.type == FormatPlane::Type::F16)
        at[1] = 0x10; // the high byte of an f16 below 2^-10
      if (plane.name == "e" && plane.type == FormatPlane::Type::Unsigned)
        *at = 0x70; // the exponent of the scale 2^-16 of MXFP4
    }
  return bytes;
}

/// A model whose matrices have any format has the same results as the model with the numbers that the blocks represent.
TEST_F(GgufModels, MatricesMayHaveAnyFormat) {
  int formats = 0;
  for (uint32_t number = 0; number < 64; ++number) {
    std::optional<GgufType> type = findGgufType(number, &context);
    if (!type || !type->format)
      continue;
    SCOPED_TRACE(type->name.str());
    ++formats;
    // Rows of 256 elements consist of whole blocks in all formats.
    GgufWriter blocks = load("llama-q8_0"), wide;
    for (const char *key : {"embedding_length", "feed_forward_length"})
      blocks.set(std::string("llama.") + key, uint32_t(256));
    for (const char *key : {"attention.key_length", "attention.value_length", "rope.dimension_count"})
      blocks.set(std::string("llama.") + key, uint32_t(64));
    wide = blocks;
    for (auto [tensor, same] : llvm::zip_equal(blocks.tensors, wide.tensors)) {
      if (tensor.shape.size() == 1) {
        tensor.shape = same.shape = {256};
        tensor.bytes = same.bytes = bytesOfFloats(std::vector<float>(256, 1));
        continue;
      }
      bool isKey = StringRef(tensor.name).contains("attn_k") || StringRef(tensor.name).contains("attn_v");
      int64_t rows = tensor.shape[0] == 13 ? 13 : isKey ? 128 : 256;
      tensor.shape = same.shape = {rows, 256};
      tensor.type = number;
      tensor.bytes = randomBlocks(type->format, rows * 256 / type->blockLength);
      same.type = ggufF32;
      same.bytes = bytesOfFloats(dequantize(tensor.bytes, type->format));
    }
    double bound = type->format.hasOffset() ? 1e-4 : 1e-12; // with offsets, the numbers in f32 are rounded
    EXPECT_LE(differenceOf(logitsOf(import(blocks)), logitsOf(import(wide))), bound);
  }
  EXPECT_EQ(formats, 10);
}

/// A quantised model has the same results as the model whose weights are the numbers that its blocks represent. All
/// codes occur, also -128 in Q8_0, which ggml does not write. The embeddings of gemma3 are also the weight of the last
/// layer.
TEST_F(GgufModels, BlocksStandForTheirNumbers) {
  for (auto [name, type] : {std::pair("llama-q8_0", ggufQ8), std::pair("gemma3-q8_0", ggufQ8),
                            std::pair("llama-q4_0", ggufQ40), std::pair("llama-q4_1", ggufQ41)}) {
    SCOPED_TRACE(name);
    Format format = findGgufType(type, &context)->format;
    int64_t bytes = format.getBlockBytes();
    GgufWriter blocks = load(name), wide;
    for (auto [i, byte] : llvm::enumerate(blocks.find("blk.0.ffn_up.weight")->bytes))
      if (i % bytes >= 4 && i < size_t(bytes) * 20)
        byte = char(i);
    wide = blocks;
    int count = 0;
    for (GgufWriter::Tensor &tensor : wide.tensors)
      if (tensor.type != ggufF32) {
        EXPECT_EQ(tensor.type, type);
        tensor.bytes = bytesOfFloats(dequantize(tensor.bytes, format));
        tensor.type = ggufF32;
        ++count;
      }
    EXPECT_GE(count, 8);
    FailureOr<Model> model = import(blocks);
    ASSERT_TRUE(succeeded(model)) << context.take();
    int layers = 0;
    model->module->walk([&](LinearOp op) { layers += op.getWeight().getDefiningOp<DequantizeOp>() != nullptr; });
    EXPECT_EQ(layers, 8);
    // With offsets, the numbers in f32 are rounded; otherwise they are exact.
    double bound = format.hasOffset() ? 1e-5 : 1e-12;
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
  EXPECT_EQ(errorOf(qwen), "tensor 'rope_freqs.weight': the importer does not use this tensor, which may change what "
                           "the model computes\n");
}

/// In phi3, two tensors contain the factors for short and for long sequences. A model may rotate a part of each head.
TEST_F(GgufModels, RotaryFactorsOfPhi3) {
  for (bool isLong : {false, true}) {
    GgufWriter writer = load("phi3");
    writer.tensors.push_back({"rope_factors_long.weight", {1}, ggufF32, bytesOfFloats({3})});
    writer.tensors.push_back({"rope_factors_short.weight", {1}, ggufF32, bytesOfFloats({2})});
    int64_t original = isLong ? 16 : 17; // the tests compute with 17 tokens
    writer.set("phi3.rope.scaling.original_context_length", uint32_t(original));
    writer.set("phi3.rope.scaling.attn_factor", 1.25f);
    writer.set("phi3.rope.dimension_count", uint32_t(2));
    llvm::json::Object parameters{{"rope_type", "longrope"},
                                  {"rope_theta", 10000},
                                  {"factor", 1},
                                  {"attention_factor", 1.25},
                                  {"partial_rotary_factor", 0.5},
                                  {"short_factor", llvm::json::Array{2}},
                                  {"long_factor", llvm::json::Array{3}}};
    std::vector<double> expected =
        logitsOf(importWith("tiny-phi3", llvm::json::Object{{"sliding_window", nullptr},
                                                            {"original_max_position_embeddings", original},
                                                            {"rope_parameters", std::move(parameters)}}));
    EXPECT_LE(differenceOf(logitsOf(import(writer)), expected), 1e-6);
    EXPECT_GT(differenceOf(logitsOf(import(load("phi3"))), expected), 1e-3);
    writer.tensors.pop_back();
    EXPECT_EQ(errorOf(writer),
              "tensor 'rope_factors_short.weight': expected a vector of F32 with at most 32768 elements, and no other "
              "scaling of rotary embeddings\n");
  }
}

/// llama.cpp ignores the sliding window of phi3. Heddle and transformers apply it.
TEST_F(GgufModels, WindowOfPhi3) {
  GgufWriter writer = load("phi3");
  writer.set("phi3.attention.sliding_window", uint32_t(7));
  EXPECT_LE(differenceOf(logitsOf(import(writer)), logitsOf(importWith("tiny-phi3", {}))), 1e-6);
  EXPECT_GT(differenceOf(logitsOf(import(writer)), logitsOf(import(load("phi3")))), 1e-3);
}

/// An encoder may pool the vectors of its tokens as a model of sentence-transformers does.
TEST_F(GgufModels, PoolingIsThatOfSentenceTransformers) {
  for (auto [kind, mode] : {std::pair(1, "mean"), std::pair(2, "cls"), std::pair(3, "lasttoken")}) {
    GgufWriter writer = load("bert");
    writer.set("bert.pooling_type", uint32_t(kind));
    std::vector<double> found = logitsOf(import(writer));
    EXPECT_EQ(found.size(), 3u * 16);
    llvm::sys::fs::create_directory(dir.file("1_Pooling"));
    dir.write("1_Pooling/config.json",
              std::string(R"({"word_embedding_dimension": 16, "pooling_mode": ")") + mode + "\"}");
    dir.write("modules.json",
              R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
      {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
    EXPECT_LE(differenceOf(found, logitsOf(importWith("sentence-bert", {}))), 1e-6);
  }
  GgufWriter writer = load("bert");
  writer.set("bert.pooling_type", uint32_t(4));
  EXPECT_EQ(errorOf(writer), "bert.pooling_type: only 0 to 3 are supported, found 4\n");
  writer = load("bert");
  writer.set("bert.attention.causal", GgufKind::Bool, ggufBytes(uint8_t(1)));
  EXPECT_EQ(errorOf(writer), "bert.attention.causal: only false is supported, found true\n");
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
/// parameters, which the importer recognises by their number of layers.
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
