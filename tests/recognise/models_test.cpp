//===- models_test.cpp - recognition in models ----------------------------===//
//
// For every model in tests/data/seeds, exports, huggingface and variants, the
// recognised layers are compared with the layers in the model's source, and the
// stages recognise and fuse must not change the results of the module, which
// the interpreter computes in f64. The test fails if a change of an importer or
// a pass leaves a layer decomposed, or if operations are replaced by a layer
// that computes something else.
//
//===----------------------------------------------------------------------===//

#include "../import/Diagnostics.h"
#include "../import/Reference.h"

#include "heddle/Json.h"
#include "heddle/Stages.h"
#include "heddle/Recognise.h"
#include "heddle/Safetensors.h"

#include "mlir/IR/Verifier.h"

#include <filesystem>

using namespace heddle;
using namespace mlir;

namespace {

const std::string data = std::string(HEDDLE_TEST_DATA) + "/../data/";

/// The numbers of recognised layers by kind. `norm` counts layer norms and RMS norms.
struct Counts {
  unsigned attention = 0, linearAttention = 0, norm = 0, ffn = 0;

  bool operator==(const Counts &other) const {
    return std::tie(attention, linearAttention, norm, ffn) ==
           std::tie(other.attention, other.linearAttention, other.norm, other.ffn);
  }
};

/// GoogleTest prints counts by this function.
void PrintTo(const Counts &counts, std::ostream *os) {
  *os << counts.attention << " attention, " << counts.linearAttention << " linear attention, " << counts.norm
      << " norms, " << counts.ffn << " ffn";
}

/// Returns the number of transformer layers according to the config.json of a Hugging Face model.
unsigned layersOf(TestContext &context, const std::string &folder) {
  FailureOr<llvm::json::Object> config = readJsonObject(context, folder + "/config.json");
  EXPECT_TRUE(succeeded(config)) << context.text;
  int64_t layers = 0;
  for (StringRef field : {"num_hidden_layers", "n_layers", "n_layer"})
    layers += config->getInteger(field).value_or(0);
  return layers * config->getInteger("inner_group_num").value_or(1);
}

/// Returns the expected numbers of layers of an ONNX model. They were counted by hand in the model's source.
Counts expectedCounts(StringRef name) {
  if (name.starts_with("exports/"))
    return {2, 0, 5, 2};
  if (name.starts_with("seeds/004-transformer"))
    return {1, 0, 2, 1};
  if (name == "seeds/004-linear-attention")
    return {0, 1, 0, 0};
  if (name.starts_with("variants/near-miss"))
    return {};
  if (name.starts_with("variants/norm"))
    return {0, 0, 1, 0};
  if (name.starts_with("variants/ffn"))
    return {0, 0, 0, 1};
  if (name == "variants/attention-guarded-layers")
    return {2, 0, 0, 0};
  // These three models consist of scores without a softmax, of only a softmax, and of only a masked fill.
  if (name == "seeds/002-scores" || name == "seeds/004-softmax-dims" || name == "seeds/004-masked-fill")
    return {};
  return {1, 0, 0, 0};
}

/// Returns the folders of all models below `data`, such as "seeds/002-scores".
std::vector<std::string> cases() {
  std::vector<std::string> found;
  for (std::string group : {"seeds", "exports", "huggingface", "variants"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(data + group, error), end; it != end && !error; it.increment(error))
      if (std::filesystem::exists(it->path() / "model.onnx") || std::filesystem::exists(it->path() / "config.json"))
        found.push_back(group + "/" + it->path().filename().string());
  }
  llvm::sort(found);
  return found;
}

struct Recognition : testing::TestWithParam<std::string> {};

TEST_P(Recognition, FindsTheLayersAndKeepsTheMeaning) {
  DialectRegistry registry;
  registerInterpreter(registry);
  TestContext context;
  context.appendDialectRegistry(registry);
  std::string folder = data + GetParam(), path = folder;
  ImportOptions options;
  bool directory = StringRef(GetParam()).starts_with("huggingface");
  if (directory || StringRef(folder).ends_with("dynamic"))
    options.dims = {{"batch_size", 2}, {"sequence_length", 17}};
  if (!directory)
    path += "/model.onnx";
  WeightStore inputs;
  ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/inputs.safetensors", inputs))) << context.text;
  if (directory)
    if (const StoredTensor *ids = inputs.find("input_ids"))
      options.dims = {{"batch_size", ids->type.getDimSize(0)}, {"sequence_length", ids->type.getDimSize(1)}};
  FailureOr<Model> model = importModel(context, path, options);
  ASSERT_TRUE(succeeded(model)) << context.text;
  std::map<std::string, Tensor> before = runReference(*model, inputs);

  RecognitionReport report;
  recognise(*model->module, &report);
  ASSERT_TRUE(succeeded(verify(*model->module))) << context.text;
  Counts counts{report.recognised.lookup("attention"), report.recognised.lookup("linear_attention"),
                report.recognised.lookup("layer_norm") + report.recognised.lookup("rms_norm"),
                report.recognised.lookup("ffn")};
  if (directory) {
    unsigned layers = layersOf(context, folder);
    EXPECT_GT(layers, 0u);
    EXPECT_EQ(counts.attention, layers);
    // In quantized models, the linear layers of a feed-forward layer are not merged if rows are rounded or reordered
    // between them. So linear layers are counted, and a feed-forward layer counts as two linear layers. A transformer
    // layer has at least six linear layers.
    unsigned linears = 0;
    model->module->walk([&](LinearOp) { ++linears; });
    if (StringRef(GetParam()).contains("quantized"))
      EXPECT_GE(2 * counts.ffn + linears, 6 * layers);
    else
      EXPECT_GE(counts.ffn, layers);
  } else {
    EXPECT_EQ(counts, expectedCounts(GetParam()));
  }

  PassManager manager(&context, ModuleOp::getOperationName());
  buildRecognisePipeline(manager);
  buildFusePipeline(manager);
  ASSERT_TRUE(succeeded(manager.run(*model->module))) << context.text;
  std::map<std::string, Tensor> after = runReference(*model, inputs);
  ASSERT_EQ(before.size(), after.size());
  for (auto &[name, expected] : before) {
    const Tensor &result = after.at(name);
    ASSERT_EQ(result.shape(), expected.shape()) << name;
    // Exported files contain sqrt(2) and similar constants in single precision, and a recognised layer has the exact
    // constant. This is the only difference.
    double largest = 0, error = 0;
    for (auto [a, b] : llvm::zip_equal(result.floats(), expected.floats())) {
      bool same = a == b || (std::isnan(a) && std::isnan(b));
      largest = std::isfinite(b) ? std::max(largest, std::abs(b)) : largest;
      double difference = same ? 0 : std::abs(a - b);
      error = std::isnan(error) || difference <= error ? error : difference; // a difference of NaN makes the error NaN
    }
    EXPECT_TRUE(error <= 1e-7 * largest) << name << ": error " << error << " of " << largest;
  }
}

INSTANTIATE_TEST_SUITE_P(Data, Recognition, testing::ValuesIn(cases()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

} // namespace
