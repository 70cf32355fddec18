//===- huggingface_quantized_test.cpp - quantized directories -------------===//
//
// Imports Hugging Face directories whose weights are quantized (compressed-tensors and GPTQ).
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "ModelDirectories.h"
#include "Reference.h"
#include "TempDir.h"

#include "heddle/Safetensors.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using namespace mlir;

namespace {


struct HuggingFaceQuantized : testing::Test {
  TestContext context;
  TempDir dir;
  ImportOptions options;

  HuggingFaceQuantized() {
    DialectRegistry registry;
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
    options.dims["batch_size"] = 3;
    options.dims["sequence_length"] = 17;
  }

  /// Returns the error of the import of a directory after its tensor `name` was changed. If `isGone`, the tensor is
  /// removed. Otherwise it is replaced by zeros of the shape `shape` and, unless `element` is null, of this element
  /// type.
  std::string errorWith(const std::string &folder, StringRef name, ArrayRef<int64_t> shape, bool isGone = false,
                        Type element = Type()) {
    WeightStore store;
    EXPECT_TRUE(succeeded(readSafetensors(context, modelDirectories + folder + "/model.safetensors", store)));
    std::vector<std::pair<std::string, StoredTensor>> tensors;
    std::vector<char> zeros(1 << 16);
    for (StringRef other : store.names()) {
      StoredTensor tensor = *store.find(other);
      if (other == name) {
        tensor.type = tensor.type.clone(shape, element ? element : tensor.type.getElementType());
        tensor.bytes = ArrayRef(zeros).take_front(*storedSize(tensor.type));
        if (isGone)
          continue;
      }
      tensors.push_back({other.str(), tensor});
    }
    EXPECT_NE(store.find(name), nullptr) << name.str();
    EXPECT_TRUE(succeeded(writeSafetensors(context, dir.file("model.safetensors"), tensors))) << context.take();
    llvm::sys::fs::copy_file(modelDirectories + folder + "/config.json", dir.file("config.json"));
    EXPECT_TRUE(failed(importModel(context, dir.file(""), options)));
    return context.take();
  }
};

/// Imports each directory that make_quantized.py wrote. The results of the model must equal the stored results. In the
/// directories with w8a8 (weights and activations of 8 bits), linear layers round their inputs.
TEST_F(HuggingFaceQuantized, ResultsEqualThoseOfTheFormats) {
  unsigned count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(modelDirectories, error), end; it != end && !error; it.increment(error)) {
    const std::string &folder = it->path();
    StringRef name = llvm::sys::path::filename(folder);
    if (!name.starts_with("quantized-"))
      continue;
    SCOPED_TRACE(name.str());
    ++count;
    FailureOr<Model> model = importModel(context, folder, options);
    ASSERT_TRUE(succeeded(model)) << context.take();
    unsigned layers = 0, rounded = 0;
    model->module->walk([&](LinearOp op) {
      layers += op.getWeight().getDefiningOp<DequantizeOp>() != nullptr;
      rounded += op.getRounding().has_value();
    });
    EXPECT_GE(layers, 6u);
    EXPECT_EQ(rounded, name.contains("w8a8") ? layers : 0);
    WeightStore given, wanted;
    ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/inputs.safetensors", given))) << context.take();
    ASSERT_TRUE(succeeded(readSafetensors(context, folder + "/expected.safetensors", wanted))) << context.take();
    auto results = runReference(*model, given);
    ASSERT_EQ(results.size(), 1u);
    const StoredTensor *stored = wanted.find(results.begin()->first);
    ASSERT_TRUE(stored);
    EXPECT_LE(maxError(results.begin()->second, *stored), 1e-5);
  }
  EXPECT_EQ(count, 12u);
}

TEST_F(HuggingFaceQuantized, RefusesTensorsOfWrongShapesAndTypes) {
  std::string layer = "model.layers.0.self_attn.q_proj";
  EXPECT_EQ(errorWith("quantized-w8a8", layer + ".weight_scale", {31, 1}),
            "tensor '" + layer +
                ".weight_scale': expected 'tensor<32x1xf32>' according to quantization_config, "
                "found 'tensor<31x1xf32>'\n");
  EXPECT_EQ(errorWith("quantized-w4a16", layer + ".weight_packed", {32, 3}),
            "tensor '" + layer +
                ".weight_packed': expected 'tensor<32x4xi32>' according to quantization_config, "
                "found 'tensor<32x3xi32>'\n");
  EXPECT_EQ(errorWith("quantized-w4a16", layer + ".weight_shape", {2}),
            "tensor '" + layer + ".weight_shape': expected 32 and 32, found 0 and 0\n");
  EXPECT_EQ(errorWith("quantized-gptq-4", layer + ".qzeros", {}, /*isGone=*/true),
            "the checkpoint has no tensor '" + layer + ".qzeros'\n");
  std::string first = "encoder.layer.0.attention.self.query";
  Type ui8 = IntegerType::get(&context, 8, IntegerType::Unsigned);
  for (const char *part : {".weight", ".input_zero_point"}) {
    SmallVector<int64_t> shape = StringRef(part) == ".weight" ? SmallVector<int64_t>{32, 32} : SmallVector<int64_t>{1};
    EXPECT_EQ(errorWith("quantized-w8a8-static", first + part, shape, /*isGone=*/false, ui8),
              "tensor '" + first + part + "': elements of type 'ui8' are not supported\n");
  }
  EXPECT_EQ(errorWith("quantized-gptq-4", layer + ".g_idx", {32}),
            "tensor '" + layer + ".g_idx': expected 16 inputs in each of 2 groups\n");
}

} // namespace
