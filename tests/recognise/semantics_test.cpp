//===- semantics_test.cpp - meaning of modules in lit tests ---------------===//
//
// Interprets every function with static shapes in the lit tests of the stages
// recognise and fuse (tests/recognise and a part of tests/transforms) in f64 on
// random inputs, before and after both stages. The results may differ only by
// rounding errors, also for inputs with NaN and infinities. The lit tests
// compare only the text of the IR, which does not show whether a replacement is
// correct.
//
//===----------------------------------------------------------------------===//

#include "../import/Diagnostics.h"

#include "heddle/Stages.h"
#include "heddle/Import.h"
#include "heddle/Recipe.h"

#include "interpreter/Interpreter.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <random>

using namespace heddle;
using namespace mlir;

namespace {

/// Returns the paths of the lit tests whose functions are interpreted.
std::vector<std::string> files() {
  std::vector<std::string> found;
  for (std::string name : {"/recognise", "/transforms"})
    for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_TEST_DATA "/.." + name)) {
      // Files in transforms/ are only used if they test a pass of stage fuse, since the passes of later stages do not
      // work on tensors.
      std::string stem = entry.path().stem().string();
      bool fuse = llvm::any_of(ArrayRef<StringRef>{"fold-", "fuse-", "merge-"},
                               [&](StringRef prefix) { return StringRef(stem).starts_with(prefix); });
      fuse &= !StringRef(stem).starts_with("fold-dequantize"); // heddle-fold-dequantize is part of stage vectorize
      if (entry.path().extension() == ".mlir" && (name == "/recognise" || fuse))
        found.push_back(entry.path().string());
    }
  llvm::sort(found);
  return found;
}

/// Returns a random tensor. If `special`, about one element in eight is a special value, such as NaN or an infinity.
Tensor randomTensor(RankedTensorType type, std::mt19937 &random, bool special = false) {
  if (!isa<FloatType>(type.getElementType())) {
    std::vector<int64_t> values(type.getNumElements());
    for (int64_t &value : values)
      value = random() & 1;
    return Tensor(type.getShape(), type.getElementType(), values);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double specials[] = {NAN, infinity, -infinity, 0.0, -0.0, 1e3, -1e3, 1e-40};
  std::normal_distribution<double> normal;
  std::vector<double> values(type.getNumElements());
  for (double &value : values) {
    value = float(normal(random)); // representable in f32 and f64
    if (special && random() % 8 == 0)
      value = specials[random() % std::size(specials)];
  }
  return Tensor(type.getShape(), type.getElementType(), values);
}

/// Makes tensors for all weights that the module names. A weight is stored in the shape and type that it has before its
/// recipe, the steps after `via`, is applied. Recipes in these tests either begin with a quantization or transpose a
/// matrix.
WeightStore makeWeights(ModuleOp module, std::mt19937 &random) {
  WeightStore store;
  module.walk([&](WeightOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    if (!op.getRecipe().empty() && isa<QuantizeStepAttr>(op.getRecipe()[0]))
      type = type.clone(Float32Type::get(op.getContext()));
    else if (!op.getRecipe().empty())
      type = type.clone({type.getDimSize(1), type.getDimSize(0)});
    store.add(op.getName(), type, randomTensor(type, random).toBytes());
  });
  return store;
}

/// Interprets all functions with static shapes on random arguments. Returns the results by the name of the function.
/// Equal seeds yield equal arguments; `special` is as in randomTensor.
std::map<std::string, SmallVector<Tensor>> run(ModuleOp module, const WeightStore &store, unsigned seed,
                                               bool special) {
  std::map<std::string, SmallVector<Tensor>> all;
  InterpreterOptions options;
  options.weights = [&](WeightOp op) -> FailureOr<Tensor> {
    auto type = cast<RankedTensorType>(op.getType());
    FailureOr<std::vector<char>> bytes = evaluateRecipe(op, store);
    if (failed(bytes))
      return failure();
    return Tensor::fromBytes(type.getShape(), type.getElementType(), *bytes);
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (llvm::any_of(function.getArgumentTypes(), [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); }))
      continue;
    std::mt19937 random(seed);
    SmallVector<Tensor> arguments;
    for (Type type : function.getArgumentTypes())
      arguments.push_back(randomTensor(cast<RankedTensorType>(type), random, special));
    auto results = interpret(function, arguments, options);
    EXPECT_TRUE(succeeded(results)) << function.getName().str();
    if (succeeded(results))
      all[function.getName().str()] = *results;
  }
  return all;
}

/// Returns the largest error, divided by max(1, the largest magnitude of an element that differs). Returns infinity if
/// shapes or integers differ, or if an element that is not finite differs.
double difference(const Tensor &a, const Tensor &b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.shape() != b.shape() || a.isFloat() != b.isFloat())
    return infinity;
  if (!a.isFloat())
    return a.ints() == b.ints() ? 0 : infinity;
  double error = 0, largest = 1;
  for (auto [x, y] : llvm::zip_equal(a.floats(), b.floats())) {
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    if (!std::isfinite(x) || !std::isfinite(y))
      return infinity;
    error = std::max(error, std::abs(x - y));
    largest = std::max(largest, std::abs(y));
  }
  return error / largest;
}

/// Decomposes each attention in `module` whose function in `imported` contains no attention. Otherwise results could
/// differ: in attention, a key whose score is -inf contributes nothing. In the original operations, it contributes 0
/// times its value, which is NaN if the value is not finite.
void takeApart(ModuleOp module, ModuleOp imported) {
  for (auto function : module.getOps<func::FuncOp>()) {
    bool attended = imported.lookupSymbol(function.getName())
                        ->walk([](AttentionOp) { return WalkResult::interrupt(); })
                        .wasInterrupted();
    if (attended)
      continue;
    function.walk([](AttentionOp op) {
      IRRewriter rewriter(op);
      auto parts = op.decomposeOperation(rewriter);
      ASSERT_TRUE(succeeded(parts));
      rewriter.replaceOp(op, *parts);
    });
  }
}

struct LitModules : testing::TestWithParam<std::string> {};

TEST_P(LitModules, KeepTheirMeaning) {
  auto file = llvm::MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(bool(file));
  SmallVector<StringRef> chunks;
  (*file)->getBuffer().split(chunks, "// -----");
  unsigned functions = 0;
  for (StringRef chunk : chunks) {
    DialectRegistry registry;
    registerInterpreter(registry);
    TestContext context;
    context.appendDialectRegistry(registry);
    loadImportDialects(context);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(chunk, &context);
    ASSERT_TRUE(module) << context.text;
    std::mt19937 random(1);
    WeightStore store = makeWeights(*module, random);
    OwningOpRef<ModuleOp> imported = module->clone();
    PassManager manager(&context, ModuleOp::getOperationName());
    buildRecognisePipeline(manager);
    buildFusePipeline(manager);
    ASSERT_TRUE(succeeded(manager.run(*module))) << context.text;
    takeApart(*module, *imported);
    for (unsigned seed = 0; seed < 8; ++seed) {
      bool special = seed != 0;
      auto before = run(*imported, store, seed, special), after = run(*module, store, seed, special);
      for (auto &[name, expected] : before) {
        ++functions;
        ASSERT_EQ(after[name].size(), expected.size()) << name;
        for (auto [a, b] : llvm::zip_equal(after[name], expected))
          EXPECT_TRUE(difference(a, b) <= 1e-6) << name << ", seed " << seed;
      }
    }
    EXPECT_EQ(context.take(), "");
  }
  EXPECT_GT(functions, 0u);
}

INSTANTIATE_TEST_SUITE_P(Files, LitModules, testing::ValuesIn(files()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

} // namespace
