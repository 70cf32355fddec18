//===- GgufTest.h - a fixture for GGUF files --------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_GGUFTEST_H
#define HEDDLE_TESTS_IMPORT_GGUFTEST_H

#include "Diagnostics.h"
#include "GgufWriter.h"
#include "ModelDirectories.h"
#include "Reference.h"
#include "TempDir.h"

#include "heddle/Json.h"
#include "heddle/Safetensors.h"

using namespace heddle;
using namespace mlir;

/// The path of the folder with the GGUF files of the tests. It ends with a slash.
inline const std::string ggufFiles = HEDDLE_TEST_DATA "/../data/gguf/";
/// A fixture that imports GGUF files of the tests, and files that are made from them.
struct GgufModels : testing::Test {
  TestContext context;
  TempDir dir;

  GgufModels() {
    DialectRegistry registry;
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
  }

  FailureOr<Model> import(const std::string &path) {
    ImportOptions options;
    options.dims = {{"batch_size", 3}, {"sequence_length", 17}};
    return importModel(context, path, options);
  }
  FailureOr<Model> import(const GgufWriter &writer) { return import(dir.write("model.gguf", writer.bytes())); }
  /// Returns the error of an import, which must fail.
  std::string errorOf(const GgufWriter &writer) {
    EXPECT_TRUE(failed(import(writer)));
    return context.take();
  }

  /// Returns the content of a file of tests/data/gguf.
  GgufWriter load(const std::string &name) {
    FailureOr<GgufFile> file = GgufFile::read(context, ggufFiles + name + ".gguf");
    EXPECT_TRUE(succeeded(file)) << context.take();
    return succeeded(file) ? GgufWriter::from(*file) : GgufWriter();
  }

  /// Returns the logits of a decoder, or the sentence vectors of a model that pools, for the inputs of the directory
  /// tiny-llama, which are valid tokens of all models. The sentence vectors are the result whose name is the last in
  /// alphabetical order.
  std::vector<double> logitsOf(FailureOr<Model> model) {
    EXPECT_TRUE(succeeded(model)) << context.take();
    WeightStore inputs;
    if (failed(model) ||
        failed(readSafetensors(context, modelDirectories + "tiny-llama/inputs.safetensors", inputs)))
      return {};
    auto results = runReference(*model, inputs);
    return results.empty() ? std::vector<double>() : results.rbegin()->second.floats().vec();
  }

  /// Returns the largest difference between two lists, which must not be empty; NaN if an element is NaN.
  static double differenceOf(const std::vector<double> &a, const std::vector<double> &b) {
    EXPECT_FALSE(a.empty());
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (auto [x, y] : llvm::zip(a, b))
      largest = std::isnan(largest) || std::abs(x - y) <= largest ? largest : std::abs(x - y);
    return largest;
  }

  /// Imports a directory of the tests with the values `fields` in its config.json. A field that is null is removed.
  FailureOr<Model> importWith(const std::string &name, const llvm::json::Object &fields) {
    FailureOr<llvm::json::Object> config = readJsonObject(context, modelDirectories + name + "/config.json");
    if (failed(config))
      return failure();
    for (const auto &[field, value] : fields)
      if (value.kind() == llvm::json::Value::Null)
        config->erase(field);
      else
        (*config)[field] = value;
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(*config));
    dir.write("config.json", text);
    llvm::sys::fs::copy_file(modelDirectories + name + "/model.safetensors", dir.file("model.safetensors"));
    return import(dir.file(""));
  }
};

#endif // HEDDLE_TESTS_IMPORT_GGUFTEST_H
