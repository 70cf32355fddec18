//===- fuzz_test.cpp - files cut short and with flipped bytes -------------===//
//
// Whatever a file holds, it imports or gets an error: no crash, no hang. The
// environment variable HEDDLE_FUZZ_ROUNDS sets how often each file is changed.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "TempDir.h"

#include "heddle/Import.h"
#include "heddle/Recipe.h"
#include "heddle/Recognise.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <random>

using namespace heddle;
using namespace mlir;

namespace {

const std::string data = std::string(HEDDLE_TEST_DATA) + "/../data";

int getRounds() {
  const char *text = getenv("HEDDLE_FUZZ_ROUNDS");
  return text ? atoi(text) : 100;
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(buffer) << path;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Imports and, where that succeeds, recognises layers and makes all weights. An error must have a text.
void import(const std::string &model, const llvm::StringMap<int64_t> &dims) {
  TestContext context;
  ImportOptions options;
  options.dims = dims;
  FailureOr<Model> imported = importModel(context, model, options);
  if (failed(imported)) {
    EXPECT_NE(context.take(), "");
    return;
  }
  recognise(*imported->module);
  std::string text;
  llvm::raw_string_ostream(text) << **imported->module;
  (*imported->module)->walk([&](WeightOp weight) { (void)evaluateRecipe(weight, imported->weights); });
}

/// Imports `model` with variants of the contents of `file`, which is it or part of it. Half of
/// the changes are in the first `head` bytes.
void fuzz(const std::string &model, const std::string &file, size_t head, const llvm::StringMap<int64_t> &dims) {
  std::string original = readFile(file);
  ASSERT_FALSE(original.empty());
  std::mt19937_64 random(1);
  int rounds = getRounds();
  auto position = [&](int round) {
    return random() % (round % 2 ? original.size() : std::min(head, original.size()));
  };
  auto tryVariant = [&](const std::string &text) {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << text;
    import(model, dims);
  };
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    tryVariant(original.substr(0, position(round)));
    std::string flipped = original;
    for (unsigned i = 0; i <= random() % 3; ++i)
      flipped[position(round)] = static_cast<char>(random());
    tryVariant(flipped);
  }
}

struct Fuzz : testing::Test {
  TempDir dir;
  llvm::StringMap<int64_t> dims;

  std::string copy(const std::string &from, StringRef name) { return dir.write(name, readFile(data + "/" + from)); }

  void copyBert() {
    copy("huggingface/tiny-bert/config.json", "config.json");
    copy("huggingface/tiny-bert/model.safetensors", "model.safetensors");
    dims["batch_size"] = 1;
    dims["sequence_length"] = 4;
  }
};

TEST_F(Fuzz, Safetensors) {
  copyBert();
  fuzz(dir.file(""), dir.file("model.safetensors"), 4600, dims);
}

TEST_F(Fuzz, HuggingFaceConfig) {
  copyBert();
  fuzz(dir.file(""), dir.file("config.json"), 1000, dims);
}

TEST_F(Fuzz, HuggingFaceFamilies) {
  for (const char *family : {"modernbert", "mpnet", "tiny-llama"}) {
    copy("huggingface/" + std::string(family) + "/config.json", "config.json");
    copy("huggingface/" + std::string(family) + "/model.safetensors", "model.safetensors");
    dims["batch_size"] = 1;
    dims["sequence_length"] = 4;
    fuzz(dir.file(""), dir.file("config.json"), 1000, dims);
  }
}

TEST_F(Fuzz, PoolingConfig) {
  copyBert();
  dir.write("modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  llvm::sys::fs::create_directory(dir.file("1_Pooling"));
  dir.write("1_Pooling/config.json", R"({"word_embedding_dimension": 64, "pooling_mode_mean_tokens": true})");
  fuzz(dir.file(""), dir.file("modules.json"), 300, dims);
}

TEST_F(Fuzz, Onnx) {
  std::string file = copy("seeds/003-single-head/model.onnx", "model.onnx");
  fuzz(file, file, 2000, dims);
}

TEST_F(Fuzz, OnnxWithOpenDimensions) {
  std::string file = copy("exports/tiny-bert-script-17-dynamic/model.onnx", "model.onnx");
  dims["batch_size"] = 1;
  dims["sequence_length"] = 4;
  fuzz(file, file, 20000, dims);
}

TEST_F(Fuzz, Mlir) {
  copyBert();
  TestContext context;
  ImportOptions options;
  options.dims = dims;
  FailureOr<Model> model = importModel(context, dir.file(""), options);
  ASSERT_TRUE(succeeded(model)) << context.take();
  std::string text;
  llvm::raw_string_ostream(text) << **model->module;
  std::string file = dir.write("model.mlir", text);
  dims.clear();
  fuzz(file, file, text.size(), dims);
}

TEST_F(Fuzz, MlirWithOpenDimensions) {
  std::string file = copy("mlir/sizes.mlir", "model.mlir");
  dims = {{"batch", 2}, {"length", 5}};
  fuzz(file, file, 4000, dims);
}

TEST_F(Fuzz, MlirWithSizesInRanges) {
  std::string file = copy("mlir/stands.mlir", "model.mlir");
  fuzz(file, file, 4000, {});
}

} // namespace
