//===- cuda_narrow_models_test.cpp - models of bf16 and f16 ---------------===//
//
// Compiles ONNX models whose tensors are all bf16, or all f16, to PTX. Each
// product with a weight must use matrix instructions. The PTX interpreter runs
// the code, and the results are compared with the interpreter of the dialect.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "import/OnnxBuilder.h"

#include <random>

using namespace heddle;

namespace {
/// Builds a model whose tensors have one type.
struct NarrowBuilder : OnnxBuilder {
  int32_t type;
  std::mt19937 random;
  int unnamed = 0;

  NarrowBuilder(int32_t type, unsigned seed) : OnnxBuilder(20), type(type), random(seed) {}

  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }
  /// Returns a random number of rows of a matrix.
  int64_t height() { return number(9, 130); }
  /// Returns a random number of columns of a matrix.
  int64_t width() { return 2 * number(4, 40); }

  /// Adds a constant with random elements from -scale to scale, and returns its name.
  std::string constant(const Dims &dims, float scale) {
    std::string name = "constant" + std::to_string(unnamed++), bytes;
    const llvm::fltSemantics &semantics =
        type == onnx::TensorProto::BFLOAT16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    for (int64_t i = 0; i < count; ++i) {
      llvm::APFloat element(std::uniform_real_distribution<float>(-scale, scale)(random));
      bool losesInfo;
      element.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      auto bits = uint16_t(element.bitcastToAPInt().getZExtValue());
      bytes.append({char(bits & 255), char(bits >> 8)});
    }
    empty(name, dims, type).set_raw_data(bytes);
    return name;
  }

  std::string apply(const std::string &op, const Names &inputs) {
    std::string result = "value" + std::to_string(unnamed++);
    node(op, inputs, {result});
    return result;
  }
  std::string linear(const std::string &rows, int64_t k, int64_t n) {
    std::string product = apply("MatMul", {rows, constant({k, n}, 2 / std::sqrt(float(k)))});
    return apply("Add", {product, constant({n}, 0.5f)});
  }
  std::string silu(const std::string &x) { return apply("Mul", {x, apply("Sigmoid", {x})}); }
};

/// Adds an input and the layers of a model to the builder, and returns the value that the model computes.
using BuildModel = std::string (*)(NarrowBuilder &);

struct NarrowModel {
  const char *name;
  BuildModel build;
  unsigned products, kernels; // the numbers of kernels that multiply by a weight, and of all kernels
};

constexpr NarrowModel models[] = {
    {"chain",
     [](NarrowBuilder &b) {
       int64_t k = b.width(), n = b.width(), last = b.width();
       b.input("x", {b.number(1, 3), b.height(), k}, b.type);
       std::string first = b.apply("Relu", {b.linear("x", k, n)}), second = b.apply("Tanh", {b.linear(first, n, n)});
       return b.linear(second, n, last);
     },
     3, 3},
    {"ffn",
     [](NarrowBuilder &b) {
       int64_t k = b.width(), n = b.width();
       b.input("x", {b.height(), k}, b.type);
       return b.apply("Add", {b.linear(b.silu(b.linear("x", k, n)), n, k), "x"});
     },
     2, 2},
    {"gated ffn",
     [](NarrowBuilder &b) {
       int64_t k = b.width(), n = b.width();
       b.input("x", {b.height(), k}, b.type);
       std::string gated = b.apply("Mul", {b.silu(b.linear("x", k, n)), b.linear("x", k, n)});
       return b.linear(gated, n, k);
     },
     3, 4}, // gate, up, their product, and down
};
constexpr int32_t types[] = {onnx::TensorProto::BFLOAT16, onnx::TensorProto::FLOAT16};

struct CudaNarrowModels : OnInterpreter<QuotedOperations> {
  std::string ptx; // the code of the last compilation
  TempDir dir;

  std::unique_ptr<Session> compileAndLoad(Model model) override {
    CompileOptions options;
    options.target.device = findDeviceKind(name)->name;
    auto compiled = compileModel(std::move(model), options);
    if (failed(compiled)) {
      ADD_FAILURE() << "the model does not compile";
      return nullptr;
    }
    ptx.assign(compiled->deviceCode.begin(), compiled->deviceCode.end());
    auto session = loadHere(std::move(*compiled), "model", "", device);
    if (session)
      return std::move(*session);
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }

  /// Returns the number of kernels in `ptx` that contain the text.
  unsigned countKernels(llvm::StringRef text) const {
    llvm::SmallVector<llvm::StringRef> kernels;
    llvm::StringRef(ptx).split(kernels, ".entry ");
    return llvm::count_if(llvm::drop_begin(kernels), [&](llvm::StringRef kernel) { return kernel.contains(text); });
  }
};
} // namespace

TEST_P(CudaNarrowModels, UseMatrixInstructionsThroughout) {
  for (int32_t type : types) {
    const NarrowModel &model = models[GetParam() % std::size(models)];
    SCOPED_TRACE(model.name + std::string(type == types[0] ? " of bf16" : " of f16"));
    NarrowBuilder b(type, GetParam());
    b.output(model.build(b), type);
    check(dir.write("model.onnx", b.model.SerializeAsString()),
          [&](mlir::func::FuncOp main) { return *randomInputs(main, /*seed=*/1 + GetParam()); });
    EXPECT_EQ(countKernels("mma.sync"), model.products);
    EXPECT_EQ(countKernels(""), model.kernels);
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaNarrowModels, testing::Range(0u, 4 * unsigned(std::size(models))));
