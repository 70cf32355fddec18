//===- huggingface_decoders_test.cpp - decoders without states ------------===//
//
// Imports decoders from Hugging Face directories, and compares the results of the interpreter with the results of
// transformers. huggingface_decoding_test.cpp tests decoders that keep keys and values between calls.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "ModelDirectories.h"
#include "Reference.h"
#include "TempDir.h"

#include "heddle/Json.h"
#include "heddle/Safetensors.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using namespace mlir;

namespace {


struct HuggingFaceDecoders : testing::Test {
  TestContext context;
  TempDir dir;

  HuggingFaceDecoders() {
    DialectRegistry registry;
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
  }

  FailureOr<Model> import(const std::string &path, int64_t batch, int64_t sequence) {
    ImportOptions options;
    options.dims["batch_size"] = batch;
    options.dims["sequence_length"] = sequence;
    return importModel(context, path, options);
  }

  /// Interprets the model with the inputs in the file `inputs`. Returns the largest difference from the results in the
  /// file `expected`. transformers computed these results in f64; the file stores them as f32.
  double errorOf(Model &model, const std::string &inputs, const std::string &expected) {
    WeightStore given, wanted;
    EXPECT_TRUE(succeeded(readSafetensors(context, inputs, given))) << context.take();
    EXPECT_TRUE(succeeded(readSafetensors(context, expected, wanted))) << context.take();
    auto results = runReference(model, given);
    EXPECT_EQ(results.size(), 1u);
    const auto &[name, tensor] = *results.begin();
    const StoredTensor *stored = wanted.find(name);
    EXPECT_TRUE(stored) << name;
    return stored ? maxError(tensor, *stored) : NAN;
  }

  static int64_t countAttention(Model &model) {
    int64_t count = 0;
    model.module->walk([&](AttentionOp) { ++count; });
    return count;
  }

  static std::string readFile(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_TRUE(bool(buffer)) << path;
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  /// Imports the directory `family` after the text `from` in its config.json was replaced by `to`.
  FailureOr<Model> importWith(const std::string &family, StringRef from, StringRef to) {
    std::string text = readFile(modelDirectories + family + "/config.json");
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    dir.write("config.json", text.replace(at, from.size(), to.str()));
    llvm::sys::fs::copy_file(modelDirectories + family + "/model.safetensors", dir.file("model.safetensors"));
    return import(dir.file(""), 1, 3);
  }

  /// Returns the error of the import by importWith, which must fail.
  std::string errorWith(const std::string &family, StringRef from, StringRef to) {
    EXPECT_TRUE(failed(importWith(family, from, to)));
    return context.take();
  }
};

/// Imports each directory tiny-* that make_decoders.py wrote. The model must have one attention per layer, and its
/// results must equal the stored results.
TEST_F(HuggingFaceDecoders, ResultsEqualThoseOfTransformers) {
  unsigned count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(modelDirectories, error), end; it != end && !error; it.increment(error)) {
    const std::string &folder = it->path();
    StringRef name = llvm::sys::path::filename(folder);
    if (!name.starts_with("tiny-") || name == "tiny-bert")
      continue;
    SCOPED_TRACE(name.str());
    ++count;
    FailureOr<llvm::json::Object> config = readJsonObject(context, folder + "/config.json");
    ASSERT_TRUE(succeeded(config)) << context.take();
    FailureOr<Model> model = import(folder, 3, 17);
    ASSERT_TRUE(succeeded(model)) << context.take();
    std::optional<int64_t> layers = config->getInteger("num_hidden_layers");
    EXPECT_EQ(countAttention(*model), layers ? layers : config->getInteger("n_layer"));
    EXPECT_LE(errorOf(*model, folder + "/inputs.safetensors", folder + "/expected.safetensors"), 5e-6);
  }
  EXPECT_GE(count, 15u);
}

/// In older checkpoints, and in checkpoints without a head, the names of tensors have no prefix such as `transformer.`.
TEST_F(HuggingFaceDecoders, TensorNamesMayLackThePrefix) {
  WeightStore store;
  std::string folder = modelDirectories + "tiny-gpt2";
  ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/model.safetensors", store))) << context.take();
  std::vector<std::pair<std::string, StoredTensor>> bare;
  for (StringRef name : store.names())
    bare.push_back({name.drop_front(StringRef("transformer.").size()).str(), *store.find(name)});
  std::string text = readFile(folder + "/config.json");
  dir.write("config.json", text);
  ASSERT_TRUE(succeeded(writeSafetensors(context, dir.file("model.safetensors"), bare))) << context.take();
  FailureOr<Model> model = import(dir.file(""), 3, 17);
  ASSERT_TRUE(succeeded(model)) << context.take();
  EXPECT_LE(errorOf(*model, folder + "/inputs.safetensors", folder + "/expected.safetensors"), 5e-6);

  std::string tied = "\"tie_word_embeddings\": true";
  ASSERT_NE(text.find(tied), std::string::npos);
  dir.write("config.json", text.replace(text.find(tied), tied.size(), "\"tie_word_embeddings\": false"));
  EXPECT_TRUE(failed(import(dir.file(""), 3, 17)));
  EXPECT_EQ(context.take(), "the checkpoint has no tensor 'lm_head.weight'\n");
}

/// An older config.json of gemma3 has rope_scaling, rope_theta and rope_local_base_freq instead of rope_parameters, and
/// sliding_window_pattern instead of layer_types.
TEST_F(HuggingFaceDecoders, FieldsOfOlderGemma3FilesAreRead) {
  std::string folder = modelDirectories + "tiny-gemma3";
  FailureOr<llvm::json::Object> config = readJsonObject(context, folder + "/config.json");
  ASSERT_TRUE(succeeded(config)) << context.take();
  for (const char *field : {"rope_parameters", "layer_types", "_sliding_window_pattern"})
    ASSERT_TRUE(config->erase(field)) << field;
  (*config)["rope_scaling"] = llvm::json::Object{{"rope_type", "linear"}, {"factor", 2.5}};
  (*config)["rope_theta"] = 500;
  (*config)["rope_local_base_freq"] = 100;
  (*config)["sliding_window_pattern"] = 2;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(*config));
  dir.write("config.json", text);
  llvm::sys::fs::copy_file(folder + "/model.safetensors", dir.file("model.safetensors"));
  FailureOr<Model> model = import(dir.file(""), 3, 17);
  ASSERT_TRUE(succeeded(model)) << context.take();
  EXPECT_LE(errorOf(*model, folder + "/inputs.safetensors", folder + "/expected.safetensors"), 5e-6);
}

/// Imports one checkpoint with different rope parameters. The sequence has 29 tokens. With `dynamic` and
/// `longrope-long`, the angles change in sequences of more than 16 tokens.
TEST_F(HuggingFaceDecoders, RopeTypesRotateAsInTransformers) {
  llvm::sys::fs::copy_file(modelDirectories + "rotary/model.safetensors", dir.file("model.safetensors"));
  for (const char *name :
       {"dynamic", "dynamic-short", "linear", "llama3", "longrope-long", "longrope-short", "yarn", "yarn-mscale"}) {
    std::string of = modelDirectories + "rotary/" + name;
    dir.write("config.json", readFile(of + "/config.json"));
    FailureOr<Model> model = import(dir.file(""), 1, 29);
    ASSERT_TRUE(succeeded(model)) << name << ": " << context.take();
    EXPECT_LE(errorOf(*model, modelDirectories + "rotary/inputs.safetensors", of + "/expected.safetensors"), 5e-6)
        << name;
  }
}

TEST_F(HuggingFaceDecoders, RefusesUnknownRopeParameters) {
  auto error = [&](StringRef to) { return errorWith("tiny-llama", "\"rope_type\": \"default\"", to); };
  EXPECT_EQ(error(R"("rope_type": "proportional")"), "rope_parameters.rope_type: 'proportional' is not supported, only "
                                                     "default, dynamic, linear, llama3, longrope, yarn\n");
  EXPECT_EQ(error(R"("rope_type": "linear")"), "rope_parameters.factor: expected a positive number\n");
  EXPECT_EQ(error(R"("rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4)"),
            "rope_parameters.high_freq_factor: expected a number above low_freq_factor\n");
  EXPECT_EQ(error(R"("rope_type": "longrope", "factor": 2, "short_factor": [1], "long_factor": [1, 2])"),
            "rope_parameters.short_factor: expected 2 numbers above 0, one for each pair of a head\n");
  EXPECT_EQ(error(R"("partial_rotary_factor": 0.5)"),
            "rope_parameters.partial_rotary_factor: only 1 is supported: models of this family rotate all elements "
            "of each head\n");
  EXPECT_EQ(error(R"("beta": 2)"), "rope_parameters.beta: this field is not known, and may change what the model "
                                   "computes\n");
  EXPECT_EQ(errorWith("tiny-phi3", "\"rope_type\": \"default\"", "\"rope_type\": \"linear\""),
            "rope_parameters.rope_type: 'linear' is not supported, only default, longrope\n");
}

/// A range of sequence lengths is refused if the angles are not the same at all of its lengths.
TEST_F(HuggingFaceDecoders, RefusesRangesOfLengthsWithDifferentAngles) {
  auto errorFor = [&](const std::string &name, int64_t low, int64_t high) {
    dir.write("config.json", readFile(modelDirectories + "rotary/" + name + "/config.json"));
    llvm::sys::fs::copy_file(modelDirectories + "rotary/model.safetensors", dir.file("model.safetensors"));
    ImportOptions options;
    options.dims["batch_size"] = 1;
    options.ranges = {{"sequence_length", low, high}};
    EXPECT_EQ(succeeded(importModel(context, dir.file(""), options)), context.text.empty());
    return context.take();
  };
  EXPECT_EQ(errorFor("dynamic", 1, 16), "");
  EXPECT_EQ(errorFor("dynamic", 1, 17), "rope_parameters: with dynamic, sequences of more than 16 tokens have other "
                                        "angles than shorter ones: sequence_length cannot lie in 1..17\n");
  EXPECT_EQ(errorFor("dynamic", 17, 18).substr(0, 43), "rope_parameters: with dynamic, sequences of");
  EXPECT_EQ(errorFor("longrope-long", 16, 17).substr(0, 44), "rope_parameters: with longrope, sequences of");
  EXPECT_EQ(errorFor("longrope-long", 1, 16), "");
  EXPECT_EQ(errorFor("longrope-long", 17, 40), "");
  EXPECT_EQ(errorFor("longrope-long", 31, 33), ""); // the check uses the range, not the placeholder of the length
}

TEST_F(HuggingFaceDecoders, RefusesUnsupportedConfigurations) {
  EXPECT_EQ(errorWith("tiny-gpt2", "GPT2LMHeadModel", "GPT2DoubleHeadsModel"),
            "architectures: 'GPT2DoubleHeadsModel' is not supported, only GPT2Model, GPT2LMHeadModel, "
            "GPT2ForSequenceClassification, GPT2ForTokenClassification\n");
  EXPECT_EQ(
      errorWith("tiny-llama-classifier", "\"pad_token_id\": 3", "\"pad_token_id\": null"),
      "pad_token_id: expected the id of the padding token: the model classifies the last token that is not padding\n");
  EXPECT_EQ(errorWith("tiny-gpt2", "\"n_head\": 4", "\"n_head\": 3"),
            "n_embd: expected a multiple of n_head, found 16 and 3\n");
  EXPECT_EQ(errorWith("tiny-gpt2", "\"n_layer\": 2", "\"n_layer\": 70000"),
            "n_layer: expected at most 65536 layers, found 70000\n");
  EXPECT_EQ(errorWith("tiny-gpt2", "\"n_layer\": 2", "\"n_layer\": 60000"), "the checkpoint has no tensor "
                                                                            "'transformer.h.2.ln_1.weight'\n");
  EXPECT_EQ(errorWith("tiny-llama", "\"head_dim\": 4", "\"head_dim\": 2000000000"),
            "head_dim: expected heads of at most 65536 elements, found 2000000000\n");
  EXPECT_EQ(errorWith("tiny-llama", "{", "{\"rope_interleaved\": true,"),
            "rope_interleaved: only false is supported\n");
  EXPECT_EQ(errorWith("tiny-phi3", "{", "{\"full_attn_mod\": 2,"), "full_attn_mod: only 1 is supported\n");
  EXPECT_EQ(errorWith("tiny-llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3"),
            "num_attention_heads: expected a multiple of num_key_value_heads, found 4 and 3\n");
  EXPECT_EQ(errorWith("tiny-gemma2", "\"sliding_window\": 5", "\"sliding_window\": null"),
            "sliding_window: expected a size: some layers attend to a window of this size\n");
  EXPECT_EQ(errorWith("tiny-gemma2", "\"full_attention\"", "\"chunked_attention\""),
            "layer_types: 'chunked_attention' is not supported, only full_attention and sliding_attention\n");
  EXPECT_EQ(errorWith("tiny-gemma2", "\"layer_types\": [", "\"layer_types\": [\"full_attention\","),
            "layer_types: expected the types of 2 layers, found 3\n");
  EXPECT_EQ(errorWith("tiny-gemma3", "\"attn_logit_softcapping\": null", "\"attn_logit_softcapping\": 50.0"),
            "attn_logit_softcapping: only null is supported: transformers does not cap these scores\n");
  EXPECT_EQ(errorWith("tiny-gemma", "\"use_bidirectional_attention\": null", "\"use_bidirectional_attention\": true"),
            "use_bidirectional_attention: attention to later tokens is not supported\n");
  EXPECT_EQ(errorWith("tiny-gemma2", "\"use_bidirectional_attention\": null", "\"use_bidirectional_attention\": true"),
            "use_bidirectional_attention: attention to later tokens is not supported\n");
  EXPECT_EQ(errorWith("tiny-mistral", "\"hidden_act\": \"silu\"", "\"hidden_act\": \"xielu\"").substr(0, 42),
            "hidden_act: 'xielu' is not supported, only");
  EXPECT_EQ(errorWith("tiny-qwen3", "\"head_dim\": 8", "\"head_dim\": 4"),
            "tensor 'model.layers.0.self_attn.q_proj.weight': expected 'tensor<16x16xf32>' according to config.json, "
            "found 'tensor<32x16xf32>'\n");
}

/// With bidirectional attention, sliding_window is the number of other tokens to which a token attends, half of them
/// (rounded down) on each side. It may be 0.
TEST_F(HuggingFaceDecoders, ABidirectionalWindowMayBeZero) {
  for (auto [field, extent] : {std::pair("0", 0), std::pair("1", 0), std::pair("2", 1), std::pair("6", 3)}) {
    SCOPED_TRACE(field);
    FailureOr<Model> model =
        importWith("tiny-gemma3-bidirectional", "\"sliding_window\": 6", std::string("\"sliding_window\": ") + field);
    ASSERT_TRUE(succeeded(model)) << context.take();
    auto attention = *model->main().getOps<AttentionOp>().begin();
    ASSERT_TRUE(attention.getWindow());
    EXPECT_EQ(*attention.getWindow(), ArrayRef<int64_t>({extent, extent}));
  }
  EXPECT_EQ(errorWith("tiny-gemma3-bidirectional", "\"sliding_window\": 6", "\"sliding_window\": -2"),
            "sliding_window: expected an integer from 0 to 2147483648, found -2\n");
  EXPECT_EQ(errorWith("tiny-gemma3", "\"sliding_window\": 5", "\"sliding_window\": 0"),
            "sliding_window: expected an integer from 1 to 2147483648, found 0\n");
}

} // namespace
