//===- onnx_models_test.cpp - exported models and their results -----------===//
//
// Each folder in tests/data/{seeds,exports,encoders} contains a model, inputs, and results that the original framework
// computed in f64. Each folder in tests/data/quantised contains results that ONNX Runtime computed in f32.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Reference.h"

#include "heddle/Safetensors.h"

#include <filesystem>

using namespace heddle;
using namespace mlir;

namespace {

const std::string data = std::string(HEDDLE_TEST_DATA) + "/../data/";

/// Returns the paths of all folders of models, relative to tests/data.
std::vector<std::string> cases() {
  std::vector<std::string> found;
  for (std::string group : {"seeds", "exports", "encoders", "quantised"}) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(data + group, error), end; it != end && !error; it.increment(error))
      if (it->is_directory())
        found.push_back(group + "/" + it->path().filename().string());
  }
  llvm::sort(found);
  return found;
}

struct OnnxModel : testing::TestWithParam<std::string> {};

TEST_P(OnnxModel, ResultsEqualThoseOfTheFramework) {
  DialectRegistry registry;
  registerInterpreter(registry);
  TestContext context;
  context.appendDialectRegistry(registry);
  std::string folder = data + GetParam();
  ImportOptions options;
  if (StringRef(folder).ends_with("dynamic"))
    options.dims = {{"batch_size", 2}, {"sequence_length", 17}};

  FailureOr<Model> model = importModel(context, folder + "/model.onnx", options);
  ASSERT_TRUE(succeeded(model)) << context.text;
  WeightStore inputs, expected;
  ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/inputs.safetensors", inputs))) << context.text;
  ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/expected.safetensors", expected))) << context.text;
  std::map<std::string, Tensor> results = runReference(*model, inputs);
  ASSERT_EQ(results.size(), expected.names().size());
  for (StringRef name : expected.names()) {
    const StoredTensor *stored = expected.find(name);
    FailureOr<Tensor> tensor =
        Tensor::fromBytes(stored->type.getShape(), stored->type.getElementType(), stored->bytes);
    ASSERT_TRUE(succeeded(tensor) && results.count(name.str())) << name.str();
    Tensor result = results.at(name.str());
    ASSERT_EQ(result.shape(), tensor->shape()) << name.str();
    ASSERT_EQ(result.isFloat(), tensor->isFloat()) << name.str();
    if (!tensor->isFloat()) {
      EXPECT_EQ(result.ints(), tensor->ints()) << name.str();
      continue;
    }
    double largest = 0, error = 0;
    for (auto [actual, wanted] : llvm::zip_equal(result.floats(), tensor->floats())) {
      bool same = actual == wanted || (std::isnan(actual) && std::isnan(wanted));
      largest = std::isfinite(wanted) ? std::max(largest, std::abs(wanted)) : largest;
      double difference = same ? 0 : std::abs(actual - wanted);
      error = std::isnan(error) || difference <= error ? error : difference; // a NaN remains, so that the test fails
    }
    EXPECT_TRUE(error <= 5e-7 * largest) << name.str() << ": error " << error << " of " << largest;
  }

  // No shape arithmetic remains: the remaining operations compute floats or masks.
  if (!StringRef(GetParam()).starts_with("exports"))
    return;
  for (Operation &op : model->module->lookupSymbol<func::FuncOp>("main").front())
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && type.getElementType().isInteger(64))
        EXPECT_TRUE(isa<arith::ConstantOp>(op)) << op.getName().getStringRef().str();
}

INSTANTIATE_TEST_SUITE_P(Data, OnnxModel, testing::ValuesIn(cases()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

} // namespace
