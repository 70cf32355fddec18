//===- gguf_formats_test.cpp - formats of quantised blocks ----------------===//
//
// tests/data/gguf/formats.safetensors contains blocks of each format, and the numbers that llama.cpp's package gguf
// computed from them.
//
//===----------------------------------------------------------------------===//

#include "GgufTest.h"

#include "heddle/Passes.h"

#include "formats/Formats.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace {

struct Formats : testing::Test {
  TestContext context;
  WeightStore store;

  Formats() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, HeddleDialect>();
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    EXPECT_TRUE(succeeded(readSafetensors(context, ggufFiles + "formats.safetensors", store))) << context.take();
  }

  /// Calls `body` with each format that the file contains, and the name of its tensor.
  void forEachFormat(llvm::function_ref<void(Format, StringRef)> body) {
    int count = 0;
    for (StringRef name : store.names()) {
      if (name.ends_with(".numbers"))
        continue;
      SCOPED_TRACE(name.str());
      Format format = findFormat(&context, name);
      ASSERT_TRUE(format);
      body(format, name);
      ++count;
    }
    EXPECT_EQ(count, 10);
  }

  /// Returns a module whose @main returns the numbers of the tensor `name`, which has this format.
  OwningOpRef<ModuleOp> moduleOf(Format format, StringRef name, bool isTransposed) {
    RankedTensorType type = store.find(name)->type;
    int64_t rows = type.getDimSize(0), columns = format.getBlockLength();
    std::string attribute;
    llvm::raw_string_ostream(attribute) << format;
    std::string text = llvm::formatv(R"(func.func @main() -> tensor<{0}x{1}xf32> {{
      %b = heddle.weight "{2}" : tensor<{3}x{4}xi8>
      %0 = heddle.dequantize %b format({5}) {6} : tensor<{3}x{4}xi8> -> tensor<{0}x{1}xf32>
      return %0 : tensor<{0}x{1}xf32>
    })",
                                     isTransposed ? columns : rows, isTransposed ? rows : columns, name, rows,
                                     type.getDimSize(1), attribute, isTransposed ? "transposed" : "");
    return parseSourceString<ModuleOp>(text, &context);
  }
  std::vector<double> resultOf(ModuleOp module) {
    InterpreterOptions options;
    options.weights = [&](WeightOp op) -> FailureOr<Tensor> {
      FailureOr<std::vector<char>> bytes = evaluateRecipe(op, store);
      if (failed(bytes))
        return failure();
      return Tensor::fromBytes(op.getType().getShape(), op.getType().getElementType(), *bytes);
    };
    auto results = interpret(module.lookupSymbol<func::FuncOp>("main"), {}, options);
    EXPECT_TRUE(succeeded(results)) << context.take();
    return succeeded(results) ? results->front().floats().vec() : std::vector<double>();
  }
};

TEST_F(Formats, NumbersAreThoseOfGguf) {
  forEachFormat([&](Format format, StringRef name) {
    OwningOpRef<ModuleOp> module = moduleOf(format, name, /*isTransposed=*/false);
    ASSERT_TRUE(module) << context.take();
    std::vector<double> found = resultOf(*module);
    const StoredTensor &stored = *store.find((name + ".numbers").str());
    auto expected = Tensor::fromBytes(stored.type.getShape(), stored.type.getElementType(), stored.bytes);
    ASSERT_EQ(found.size(), size_t(expected->size()));
    for (auto [i, number, wanted] : llvm::enumerate(found, expected->floats())) {
      // gguf rounds the sum of a product and an offset to f32. Without an offset, the product is exact.
      double bound = format.hasOffset() ? 0x1p-23 * std::abs(wanted) : 0;
      ASSERT_LE(std::abs(number - wanted), bound) << i;
    }
  });
}

/// The recipes that unpack blocks yield the same numbers, in both orders of dimensions.
TEST_F(Formats, UnpackedWeightsAreTheSameNumbers) {
  forEachFormat([&](Format format, StringRef name) {
    for (bool isTransposed : {false, true}) {
      OwningOpRef<ModuleOp> module = moduleOf(format, name, isTransposed);
      ASSERT_TRUE(module) << context.take();
      std::vector<double> expected = resultOf(*module);
      PassManager manager(&context);
      manager.addPass(createUnpackFormats());
      ASSERT_TRUE(succeeded(manager.run(*module))) << context.take();
      int formats = 0;
      module->walk([&](DequantizeOp op) { formats += op.getFormat().has_value(); });
      EXPECT_EQ(formats, 0);
      EXPECT_EQ(resultOf(*module), expected);
    }
  });
}

/// Each bit of a block belongs to exactly one number of one plane. The first plane contains a code for each element.
TEST_F(Formats, PlanesCoverBlocks) {
  forEachFormat([&](Format format, StringRef) {
    std::vector<int> uses(format.getBlockBytes() * 8);
    for (const FormatPlane &plane : format.getPlanes()) {
      ASSERT_EQ(format.getBlockLength() % plane.shared, 0);
      for (const FormatBits &field : plane.bits) {
        ASSERT_EQ(llvm::product_of(field.shape), format.getBlockLength() / plane.shared);
        for (int64_t index = 0; index < llvm::product_of(field.shape); ++index) {
          int64_t at = field.first, rest = index;
          for (size_t dim = field.shape.size(); dim-- > 0; rest /= field.shape[dim])
            at += rest % field.shape[dim] * field.strides[dim];
          for (int64_t bit = at; bit < at + field.width; ++bit)
            ++uses.at(bit);
        }
      }
    }
    EXPECT_EQ(uses, std::vector<int>(uses.size(), 1));
    EXPECT_EQ(format.getPlanes().front().shared, 1);
  });
}

/// A format is found by its name in upper and in lower case.
TEST_F(Formats, NamesOfFormats) {
  EXPECT_EQ(findFormat(&context, "Q4_K"), findFormat(&context, "q4_k"));
  EXPECT_FALSE(findFormat(&context, "Q4"));
  EXPECT_FALSE(findFormat(&context, "row_rounding"));
}

} // namespace
