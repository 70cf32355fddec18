//===- HuggingFaceTest.h - a fixture for model directories ------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_HUGGINGFACETEST_H
#define HEDDLE_TESTS_IMPORT_HUGGINGFACETEST_H

#include "Diagnostics.h"
#include "ModelDirectories.h"
#include "Reference.h"
#include "TempDir.h"

#include "heddle/Safetensors.h"

using namespace heddle;
using namespace mlir;

inline const std::string tinyBert = modelDirectories + "tiny-bert";

/// The config.json of a BERT with one layer, whose tensors smallShapes lists.
inline const char *const smallConfig = R"({"model_type": "bert", "vocab_size": 7, "type_vocab_size": 2,
  "max_position_embeddings": 6, "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 1,
  "num_attention_heads": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu_new"})";

/// A fixture that imports Hugging Face directories, and writes small ones to `dir`.
struct HuggingFace : testing::Test {
  TestContext context;
  TempDir dir;
  bool wrongUsage = false;   // whether the last import failed because of wrong usage
  std::vector<OpenDim> open; // the dimensions that had no size in the last import

  HuggingFace() {
    DialectRegistry registry;
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
  }

  /// Imports a directory with these values of batch_size and sequence_length. Without a value, the size is not given.
  FailureOr<Model> import(const std::string &path, std::optional<int64_t> batch = 2,
                          std::optional<int64_t> sequence = 3) {
    ImportOptions options;
    if (batch)
      options.dims["batch_size"] = *batch;
    if (sequence)
      options.dims["sequence_length"] = *sequence;
    ImportResult result = importModel(context, path, options);
    wrongUsage = result.wrongUsage;
    open = result.openDims;
    return std::move(result);
  }

  /// Returns the errors of an import, which must fail.
  std::string errorOf(const std::string &path) {
    EXPECT_TRUE(failed(import(path)));
    return context.take();
  }

  using Shape = std::vector<int64_t>;
  using Shapes = std::map<std::string, Shape>;

  /// Returns the names and shapes of the tensors of a model with the configuration smallConfig.
  static Shapes smallShapes() {
    Shapes shapes = {{"embeddings.word_embeddings.weight", {7, 4}},
                     {"embeddings.token_type_embeddings.weight", {2, 4}},
                     {"embeddings.position_embeddings.weight", {6, 4}},
                     {"encoder.layer.0.intermediate.dense.weight", {6, 4}},
                     {"encoder.layer.0.intermediate.dense.bias", {6}},
                     {"encoder.layer.0.output.dense.weight", {4, 6}},
                     {"encoder.layer.0.output.dense.bias", {4}}};
    for (std::string part : {"self.query", "self.key", "self.value", "output.dense"}) {
      shapes["encoder.layer.0.attention." + part + ".weight"] = {4, 4};
      shapes["encoder.layer.0.attention." + part + ".bias"] = {4};
    }
    for (std::string norm : {"embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"})
      for (std::string part : {"weight", "bias"})
        shapes[norm + ".LayerNorm." + part] = {4};
    return shapes;
  }

  /// Writes tensors whose bytes are 0x00 and 0x3e in turn, so each f16 element is 1.5, and each bf16 element 0.125.
  void writeTensors(StringRef file, const Shapes &shapes, Type element) {
    std::vector<char> bytes(1000);
    for (size_t i = 1; i < bytes.size(); i += 2)
      bytes[i] = 0x3e;
    std::vector<std::pair<std::string, StoredTensor>> tensors;
    for (const auto &[name, shape] : shapes) {
      auto type = RankedTensorType::get(shape, element);
      tensors.push_back({name, {type, ArrayRef<char>(bytes).take_front(*storedSize(type))}});
    }
    ASSERT_TRUE(succeeded(writeSafetensors(context, dir.file(file), tensors))) << context.take();
  }

  /// Writes a directory with the configuration smallConfig and with f32 tensors of these shapes.
  void writeSmallModel(const Shapes &shapes) {
    dir.write("config.json", smallConfig);
    writeTensors("model.safetensors", shapes, Float32Type::get(&context));
  }

  /// Writes the files of sentence-transformers that add a pooling to the model, and a normalisation if `normalize`.
  /// `modes` contains the fields of the pooling's config.json, which select the kinds of pooling.
  void writePooling(StringRef modes, bool normalize) {
    llvm::sys::fs::create_directory(dir.file("1_Pooling"));
    dir.write("1_Pooling/config.json", ("{\"word_embedding_dimension\": 64, " + modes + "}").str());
    std::string modules = R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                              {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})";
    if (normalize)
      modules += R"(, {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})";
    dir.write("modules.json", modules + "]");
  }
};

#endif // HEDDLE_TESTS_IMPORT_HUGGINGFACETEST_H
