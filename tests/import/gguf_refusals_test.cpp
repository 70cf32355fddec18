//===- gguf_refusals_test.cpp - GGUF files that are refused ---------------===//
//
// The importer must refuse a model that it does not support. The error names the key or the tensor.
//
//===----------------------------------------------------------------------===//

#include "ExpectHas.h"
#include "GgufTest.h"

#include <random>
#include <sys/resource.h>

namespace {

TEST_F(GgufModels, RefusesUnsupportedMetadata) {
  auto errorWith = [&](StringRef key, auto value) {
    GgufWriter writer = load("llama");
    writer.set(key, value);
    return errorOf(writer);
  };
  auto errorWithout = [&](StringRef key) {
    GgufWriter writer = load("llama");
    writer.erase(key);
    return errorOf(writer);
  };
  EXPECT_EQ(
      errorWith("general.architecture", "mamba"),
      "general.architecture: 'mamba' is not supported, only bert, gemma, gemma2, gemma3, gpt2, llama, nomic-bert, "
      "phi3, qwen2, qwen3, smollm3\n");
  EXPECT_EQ(errorWithout("general.architecture"), "general.architecture: expected a string, but the key is missing\n");
  EXPECT_EQ(errorWith("general.type", "adapter"), "general.type: 'adapter' is not supported, only model\n");
  EXPECT_EQ(errorWithout("llama.block_count"), "llama.block_count: expected a number, but the key is missing\n");
  EXPECT_EQ(errorWith("llama.block_count", 0.5f),
            "llama.block_count: expected an integer from 1 to 2147483648, found 0.5\n");
  EXPECT_EQ(errorWith("llama.attention.head_count", uint32_t(3)).substr(0, 27), "llama.attention.head_count:");
  EXPECT_EQ(errorWith("llama.unknown", uint32_t(1)),
            "llama.unknown: this key is not known, and may change what the model computes\n");
  EXPECT_EQ(errorWith("qwen2.block_count", uint32_t(1)),
            "qwen2.block_count: this key is not known, and may change what the model computes\n");
  EXPECT_EQ(errorWith("llama.expert_count", uint32_t(8)), "llama.expert_count: only 0 is supported, found 8\n");
  EXPECT_EQ(errorWith("llama.rope.scaling.type", uint32_t(2)), "llama.rope.scaling.type: expected a string, found 2\n");
  EXPECT_EQ(errorWith("llama.rope.dimension_count", uint32_t(2)),
            "llama.rope.dimension_count: only 4 is supported, found 2\n");
  EXPECT_EQ(errorWith("llama.attention.value_length", uint32_t(8)),
            "llama.attention.value_length: only 4 is supported, found 8\n");
  for (uint32_t size : {1, 5})
    EXPECT_EQ(errorWith("llama.attention.key_length", size),
              "llama.attention.key_length: expected heads of an even number of elements, found " +
                  std::to_string(size) + "\n");
  EXPECT_EQ(errorWith("llama.vocab_size", uint32_t(14)), "llama.vocab_size: only 13 is supported, found 14\n");

  auto layers = [](std::vector<uint32_t> numbers) {
    std::string bytes = ggufBytes(uint32_t(GgufKind::UInt32)) + ggufBytes(uint64_t(numbers.size()));
    for (uint32_t number : numbers)
      bytes += ggufBytes(number);
    return bytes;
  };
  GgufWriter writer = load("llama");
  writer.set("llama.feed_forward_length", GgufKind::Array, layers({24, 24}));
  EXPECT_TRUE(succeeded(import(writer))) << context.take();
  writer.set("llama.feed_forward_length", GgufKind::Array, layers({24, 32}));
  EXPECT_EQ(errorOf(writer), "llama.feed_forward_length: values that differ between layers are not supported\n");
  for (size_t count : {0, 1, 3}) {
    writer.set("llama.feed_forward_length", GgufKind::Array, layers(std::vector<uint32_t>(count, 24)));
    EXPECT_EQ(errorOf(writer), "llama.feed_forward_length: expected a value for each layer, that is 2 values, found " +
                                   std::to_string(count) + "\n");
  }
  GgufWriter none = load("llama");
  none.set("llama.block_count", uint32_t(0));
  none.set("llama.feed_forward_length", GgufKind::Array, layers({}));
  EXPECT_HAS(errorOf(none), "llama.feed_forward_length: expected a number, found an empty array\n");
  writer.set("llama.feed_forward_length", GgufKind::Array, layers(std::vector<uint32_t>(70000, 24)));
  EXPECT_EQ(errorOf(writer), "llama.feed_forward_length: an array of 70000 elements is not supported\n");
}

TEST_F(GgufModels, RefusesTensorsThatDoNotFitTheModel) {
  GgufWriter writer = load("llama");
  writer.find("blk.1.ffn_up.weight")->name = "blk.1.ffn_up.weights";
  EXPECT_EQ(errorOf(writer), "the file has no tensor 'blk.1.ffn_up.weight'\n");
  writer = load("llama");
  writer.find("blk.1.attn_q.weight")->shape = {8, 32};
  EXPECT_EQ(errorOf(writer), "tensor 'blk.1.attn_q.weight': expected the shape 16x16 according to the metadata, found "
                             "8x32\n");
  writer = load("llama");
  writer.tensors.push_back({"blk.0.attn_q_norm.weight", {4}, ggufF32, std::string(16, '\0')});
  EXPECT_EQ(errorOf(writer),
            "tensor 'blk.0.attn_q_norm.weight': the importer does not use this tensor, which may change what the model "
            "computes\n");
  writer = load("llama");
  // A tensor with an empty name must not be used as factors of rotary embeddings.
  writer.tensors.push_back({"", {4}, ggufF32, std::string(16, '\0')});
  EXPECT_NE(errorOf(writer), "");
  writer = load("llama-q8_0");
  *writer.find("blk.0.ffn_norm.weight") = {"blk.0.ffn_norm.weight", {32}, ggufQ8, std::string(34, '\0')};
  EXPECT_EQ(errorOf(writer), "tensor 'blk.0.ffn_norm.weight': the type Q8_0 is supported only for matrices\n");
  for (auto [type, name, bytes] : {std::tuple(10, "Q2_K", 84), std::tuple(24, "I8", 256)}) {
    writer = load("llama");
    *writer.find("output.weight") = {"output.weight", {13, 256}, uint32_t(type), std::string(13 * bytes, '\0')};
    EXPECT_EQ(errorOf(writer), std::string("tensor 'output.weight': the type ") + name +
                                   " is not supported, only F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, "
                                   "IQ4_NL, BF16, MXFP4\n");
  }
}

/// A head size that no tensor has is refused before tables of rotary embeddings are made for it.
TEST_F(GgufModels, TablesAreNotMadeForWrongSizes) {
  GgufWriter writer = load("llama");
  for (const char *key : {"llama.attention.key_length", "llama.attention.value_length", "llama.rope.dimension_count"})
    writer.set(key, uint32_t(1 << 16));
  ImportOptions options;
  writer.set("llama.context_length", uint32_t(1 << 12));
  options.dims = {{"batch_size", 1}, {"sequence_length", 1 << 12}};
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  EXPECT_TRUE(failed(importModel(context, dir.write("model.gguf", writer.bytes()), options)));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(context.take(),
            "tensor 'blk.0.attn_q.weight': expected the shape 262144x16 according to the metadata, found "
            "16x16\n");
  EXPECT_LT((after.ru_maxrss - before.ru_maxrss) / 1024, 256); // MiB
}

/// Files with random errors are imported or refused with a message. The import never needs much memory.
TEST_F(GgufModels, RandomErrorsAreRefusedOrHarmless) {
  auto memory = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024; // MiB
  };
  std::mt19937 random(1);
  long before = memory();
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string file = load(trial % 2 ? "llama" : "gemma3-q8_0").bytes();
    size_t header = std::min<size_t>(file.size(), 3000);
    for (int edits = 1 + random() % 3; edits-- > 0;) {
      size_t at = random() % header;
      switch (random() % 4) {
      case 0: // one bit is flipped
        file[at] ^= 1 << random() % 8;
        break;
      case 1: // 4 or 8 bytes become 0xff or 0
        for (size_t i = at; i < std::min(at + (random() % 2 ? 4 : 8), header); ++i)
          file[i] = random() % 3 ? '\xff' : '\0';
        break;
      case 2: // a part is missing
        file.erase(at, 1 + random() % 40);
        break;
      default: // a part occurs twice
        file.insert(at, file.substr(at, 1 + random() % 40));
      }
      header = std::min(header, file.size());
    }
    FailureOr<Model> model = import(dir.write("model.gguf", file));
    std::string error = context.take();
    EXPECT_EQ(failed(model), !error.empty()) << trial << ": " << error;
    refused += failed(model);
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(memory() - before, 256);
}

} // namespace
