//===- huggingface_test.cpp - model directories ---------------------------===//
//
// Imports encoders from Hugging Face directories. The tests cover the results of the models, pooling, the names of
// tensors and fields, and sizes.
//
//===----------------------------------------------------------------------===//

#include "HuggingFaceTest.h"

#include "heddle/Json.h"

#include "../../compiler/import/huggingface/RelativePositions.h"

#include "Notes.h"


namespace {

TEST_F(HuggingFace, ResultsOfTinyBertEqualThoseOfTransformers) {
  FailureOr<Model> model = import(tinyBert, 2, 17);
  ASSERT_TRUE(succeeded(model)) << context.take();
  WeightStore inputs, expected;
  ASSERT_TRUE(succeeded(readSafetensors(context, tinyBert + "/inputs.safetensors", inputs)));
  ASSERT_TRUE(succeeded(readSafetensors(context, tinyBert + "/expected.safetensors", expected)));
  auto results = runReference(*model, inputs);
  // The expected values were computed in f64 and stored as f32.
  EXPECT_LE(maxError(results["last_hidden_state"], *expected.find("last_hidden_state")), 1e-6);
}

TEST_F(HuggingFace, MissingMaskIsOnesAndMissingTokenTypesAreZeros) {
  FailureOr<Model> model = import(tinyBert, 1, 4);
  ASSERT_TRUE(succeeded(model)) << context.take();
  Builder b(&context);
  auto type = RankedTensorType::get({1, 4}, b.getI64Type());
  auto bytes = [](std::vector<int64_t> values) {
    return std::vector<char>((char *)values.data(), (char *)(values.data() + values.size()));
  };
  WeightStore some, all;
  some.add("input_ids", type, bytes({5, 6, 7, 8}));
  all.add("input_ids", type, bytes({5, 6, 7, 8}));
  all.add("attention_mask", type, bytes({1, 1, 1, 1}));
  all.add("token_type_ids", type, bytes({0, 0, 0, 0}));
  auto a = runReference(*model, some), c = runReference(*model, all);
  EXPECT_EQ(a["last_hidden_state"].floats(), c["last_hidden_state"].floats());
}

TEST_F(HuggingFace, PoolsAsSentenceTransformersDo) {
  for (const char *file : {"config.json", "model.safetensors"})
    llvm::sys::fs::copy_file(tinyBert + "/" + file, dir.file(file));
  writePooling(R"("pooling_mode_cls_token": true, "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true,
                  "pooling_mode_mean_sqrt_len_tokens": true)",
               /*normalize=*/true);
  FailureOr<Model> model = import(dir.file(""), 2, 17);
  ASSERT_TRUE(succeeded(model)) << context.take();
  WeightStore inputs;
  ASSERT_TRUE(succeeded(readSafetensors(context, tinyBert + "/inputs.safetensors", inputs)));
  auto results = runReference(*model, inputs);
  const Tensor &tokens = results["last_hidden_state"], &sentence = results["sentence_embedding"];
  ASSERT_EQ(sentence.shape(), (ArrayRef<int64_t>{2, 4 * 64}));

  const auto *mask = reinterpret_cast<const int64_t *>(inputs.find("attention_mask")->bytes.data());
  for (int b = 0; b < 2; ++b) {
    std::vector<double> expected(4 * 64);
    double count = 0, length = 0;
    for (int d = 0; d < 64; ++d) {
      expected[d] = tokens.floats()[b * 17 * 64 + d];
      expected[64 + d] = -std::numeric_limits<double>::infinity();
    }
    for (int s = 0; s < 17; ++s) {
      if (!mask[b * 17 + s])
        continue;
      ++count;
      for (int d = 0; d < 64; ++d) {
        double x = tokens.floats()[(b * 17 + s) * 64 + d];
        expected[64 + d] = std::max(expected[64 + d], x);
        expected[128 + d] += x;
      }
    }
    for (int d = 0; d < 64; ++d) {
      expected[192 + d] = expected[128 + d] / std::sqrt(count);
      expected[128 + d] /= count;
    }
    for (double x : expected)
      length += x * x;
    for (int i = 0; i < 4 * 64; ++i)
      EXPECT_NEAR(sentence.floats()[b * 4 * 64 + i], expected[i] / std::sqrt(length), 1e-12) << i;
  }
}

/// If the mask removes all tokens of a sequence, the maximum is -inf and the mean is 0, not 0 / 0.
TEST_F(HuggingFace, PoolsSequencesOfOnlyPadding) {
  for (const char *file : {"config.json", "model.safetensors"})
    llvm::sys::fs::copy_file(tinyBert + "/" + file, dir.file(file));
  writePooling(R"("pooling_mode_cls_token": false, "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true)",
               /*normalize=*/false);
  FailureOr<Model> model = import(dir.file(""), 1, 2);
  ASSERT_TRUE(succeeded(model)) << context.take();
  auto type = RankedTensorType::get({1, 2}, Builder(&context).getI64Type());
  WeightStore inputs;
  for (const char *name : {"input_ids", "attention_mask", "token_type_ids"})
    inputs.add(name, type, std::vector<char>(2 * sizeof(int64_t)));
  auto results = runReference(*model, inputs);
  const Tensor &sentence = results["sentence_embedding"];
  ASSERT_EQ(sentence.shape(), (ArrayRef<int64_t>{1, 2 * 64}));
  for (int d = 0; d < 64; ++d) {
    EXPECT_EQ(sentence.floats()[d], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(sentence.floats()[64 + d], 0.0);
  }
}

TEST_F(HuggingFace, ReadsShardsNamePrefixesAndNarrowTypes) {
  dir.write("config.json", smallConfig);
  Shapes first, second;
  std::string map;
  for (const auto &[name, shape] : smallShapes()) {
    bool isFirst = first.size() <= second.size();
    (isFirst ? first : second)["bert." + name] = shape;
    map += (map.empty() ? "" : ", ") + ("\"bert." + name) + "\": \"" + (isFirst ? "a" : "b") + ".safetensors\"";
  }
  writeTensors("a.safetensors", first, Float16Type::get(&context));
  writeTensors("b.safetensors", second, BFloat16Type::get(&context));
  dir.write("model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
  FailureOr<Model> model = import(dir.file(""));
  ASSERT_TRUE(succeeded(model)) << context.take();
  std::string text;
  llvm::raw_string_ostream(text) << **model->module;
  EXPECT_NE(text.find("\"bert.embeddings.position_embeddings.weight\" via [#heddle.cast<f32>]"),
            std::string::npos);
  EXPECT_NE(text.find("gelu_tanh"), std::string::npos);
  EXPECT_NE(text.find("/a.safetensors\", \""), std::string::npos);
}

TEST_F(HuggingFace, OpenDimensionsAreListed) {
  EXPECT_TRUE(failed(import(tinyBert, std::nullopt, std::nullopt)));
  EXPECT_EQ(context.take(), "the model leaves sizes open: batch_size, sequence_length; give them, for example "
                            "--dim batch_size=1 --dim sequence_length=64\n");
  EXPECT_TRUE(wrongUsage);
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[1].name, "sequence_length");
}

/// Older checkpoints name the weight and the bias of a LayerNorm gamma and beta. A file may contain both names if the
/// tensors are equal.
TEST_F(HuggingFace, TwoNamesOfOneTensorMustAgree) {
  Shapes shapes = smallShapes();
  shapes["encoder.layer.0.output.LayerNorm.gamma"] = {4};
  writeSmallModel(shapes);
  EXPECT_TRUE(succeeded(import(dir.file("")))) << context.take();
  shapes["encoder.layer.0.output.LayerNorm.beta"] = {3};
  writeSmallModel(shapes);
  EXPECT_EQ(errorOf(dir.file("")),
            "tensors 'encoder.layer.0.output.LayerNorm.bias' and "
            "'encoder.layer.0.output.LayerNorm.beta' are two names of the same tensor of the model, but their types or "
            "elements differ\n");
}

TEST_F(HuggingFace, NumLabelsMustMatchId2label) {
  std::string text = smallConfig;
  text.replace(text.find("}"), 1, R"(, "architectures": ["BertForTokenClassification"], "num_labels": 3,
    "id2label": {"0": "a", "1": "b"}})");
  dir.write("config.json", text);
  EXPECT_EQ(errorOf(dir.file("")), "num_labels: expected the number of labels in id2label, 2, found 3\n");
}

/// For a model from a GGUF file, transformers writes a config.json that contains `unk_token_id`, which the importer
/// accepts.
TEST_F(HuggingFace, FieldsOfModelsFromGgufFilesAreKnown) {
  writeSmallModel(smallShapes());
  std::string text = smallConfig;
  text.replace(text.find("}"), 1, R"(, "_model_name_or_path": "Small 1M", "unk_token_id": 0})");
  dir.write("config.json", text);
  EXPECT_TRUE(succeeded(import(dir.file("")))) << context.take();
}

TEST_F(HuggingFace, OlderNamesOfFieldsHaveTheSameMeaning) {
  const std::string source = tinyBert + "/../nomic_bert";
  llvm::sys::fs::copy_file(source + "/model.safetensors", dir.file("model.safetensors"));
  const std::string older = R"({"model_type": "nomic_bert", "activation_function": "swiglu", "n_embd": 16, "n_head": 2,
    "n_inner": 24, "n_layer": 1, "n_positions": 64, "layer_norm_epsilon": 1e-12, "mlp_fc1_bias": false,
    "mlp_fc2_bias": false, "qkv_proj_bias": false, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
    "rotary_emb_interleaved": false, "rotary_emb_scale_base": null, "rotary_scaling_factor": null,
    "scale_attn_weights": true, "type_vocab_size": 2, "vocab_size": 31, "use_flash_attn": true})";
  dir.write("config.json", older);
  auto bodyOf = [&](const std::string &path) {
    FailureOr<Model> model = import(path);
    EXPECT_TRUE(succeeded(model)) << context.take();
    std::string text;
    if (succeeded(model))
      llvm::raw_string_ostream(text) << model->module->getBody()->front();
    return text;
  };
  EXPECT_EQ(bodyOf(dir.file("")), bodyOf(source));
  auto error = [&](StringRef from, StringRef to) {
    std::string text = older;
    text.replace(text.find(from), from.size(), to);
    dir.write("config.json", text);
    return errorOf(dir.file(""));
  };
  EXPECT_EQ(error("\"mlp_fc1_bias\": false,", ""), "mlp_fc1_bias: true is not supported\n");
  EXPECT_EQ(error("swiglu", "gelu"), "activation_function: 'gelu' is not supported, only swiglu\n");
  EXPECT_EQ(error("\"rotary_scaling_factor\": null", "\"rotary_scaling_factor\": 2"),
            "rotary_scaling_factor: scaled rotary embeddings are not supported\n");
}

/// If a size in config.json is larger than in the checkpoint, the importer emits an error and does not allocate a
/// tensor of this size.
TEST_F(HuggingFace, SizesBeyondTheCheckpointAreRefused) {
  auto error = [&](const std::string &family, StringRef field, int64_t value) {
    const std::string source = tinyBert + "/../" + family;
    FailureOr<llvm::json::Object> config = readJsonObject(context, source + "/config.json");
    EXPECT_TRUE(succeeded(config)) << context.take();
    (*config)[field] = value;
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(*config));
    dir.write("config.json", text);
    llvm::sys::fs::copy_file(source + "/model.safetensors", dir.file("model.safetensors"));
    return errorOf(dir.file(""));
  };
  EXPECT_NE(error("mpnet", "max_position_embeddings", 2000000000).find("position_embeddings.weight'"), std::string::npos);
  EXPECT_NE(error("modernbert", "hidden_size", 2000).find("tok_embeddings.weight'"), std::string::npos);
  EXPECT_EQ(error("nomic_bert", "head_dim", 2000000000),
            "head_dim: expected heads of at most 65536 elements, found 2000000000\n");
  EXPECT_EQ(error("albert", "inner_group_num", 30000),
            "inner_group_num: expected at most 65536 layers in all, found 3 x 30000\n");
}

/// A bucket is a set of distances between a query and a key that have the same bias. The bucket of each distance must
/// be the result of MPNetEncoder.relative_position_bucket in transformers. For keys before the query, `before` contains
/// pairs of a bucket and the smallest distance in this bucket.
TEST(RelativeBuckets, EqualThoseOfTransformers) {
  const std::vector<std::pair<int64_t, int64_t>> before = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7},
      {8, 8}, {9, 12}, {10, 16}, {11, 23}, {12, 32}, {13, 46}, {14, 64}, {15, 91}};
  for (auto [bucket, first] : before) {
    int64_t end = bucket == 15 ? 600 : before[bucket + 1].second;
    for (int64_t distance = first; distance < end; ++distance) {
      EXPECT_EQ(RelativeBuckets().of(-distance), bucket) << distance;
      EXPECT_EQ(RelativeBuckets().of(distance), distance == 0 ? 0 : bucket + 16) << distance;
    }
  }
}

/// A placeholder is a number that represents a size (in a range) in types. The importer can choose several sets of
/// placeholders. In every set but the first, a size has another placeholder than in the first set. In each set, the
/// placeholder of the sequence length must be at most 64, the number of positions of the model.
TEST_F(HuggingFace, PlaceholdersAreAtMostTheNumberOfPositions) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 8}, {"sequence_length", 1, 64}};
  FailureOr<Model> model = importModel(context, tinyBert, options);
  ASSERT_TRUE(succeeded(model)) << context.take();
  SizeRanges first = *notes::sizes.get(*model->module);
  for (int placeholderSet = 0; placeholderSet < SizeOptions::choices; ++placeholderSet) {
    SizeOptions sizes;
    sizes.placeholderSet = placeholderSet;
    FailureOr<Model> other = model->importAgain(sizes);
    ASSERT_TRUE(succeeded(other)) << context.take();
    SizeRanges ranges = *notes::sizes.get(*other->module);
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_LE(ranges[1].placeholder, 64);
    EXPECT_NE(ranges[0].placeholder, ranges[1].placeholder);
    for (auto [range, other] : llvm::zip_equal(ranges, first))
      EXPECT_EQ(range.placeholder == other.placeholder, placeholderSet == 0) << range.placeholder;
  }
}

/// A range of lengths is refused if the model lacks positions for one of its ends. This model has positions for 1 to 64
/// tokens.
TEST_F(HuggingFace, RangesBeyondThePositionsAreRefused) {
  auto error = [&](int64_t low, int64_t high) {
    ImportOptions options;
    options.ranges = {{"batch_size", 1, 8}, {"sequence_length", low, high}};
    ImportResult result = importModel(context, tinyBert, options);
    EXPECT_TRUE(failed(result));
    EXPECT_TRUE(result.wrongUsage);
    return context.take();
  };
  EXPECT_EQ(error(1, 65), "sequence_length: the model has positions for 1 to 64 tokens, found 65\n");
  EXPECT_EQ(error(0, 8), "sequence_length: the model has positions for 1 to 64 tokens, found 0..8\n");
}

/// With --padding skip, outputs of [batch, sequence, ...] have zeros in the rows of padding, and the annotation
/// zeroWhere names the mask. An output must have this annotation whether sizes lie in ranges or are fixed, even if the
/// fixed sizes are equal.
TEST_F(HuggingFace, OutputsWithPaddedRowsDoNotDependOnSizes) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 3}, {"sequence_length", 1, 64}};
  options.skipPadding = true;
  FailureOr<Model> model = importModel(context, tinyBert, options);
  ASSERT_TRUE(succeeded(model)) << context.take();
  SizeOptions sizes;
  sizes.at = {{"batch_size", 2}, {"sequence_length", 2}};
  FailureOr<Model> fixed = model->importAgain(sizes);
  ASSERT_TRUE(succeeded(fixed)) << context.take();
  for (const Model *one : {&*model, &*fixed}) {
    auto main = one->module.get().lookupSymbol<func::FuncOp>("main");
    EXPECT_EQ(notes::zeroWhere.getOfResult(main, 0).value_or(""), "attention_mask");
  }
}

} // namespace
