//===- EveryStrategy.cpp - a strategy on inputs that are hard -------------===//

#include "EveryStrategy.h"

#include "llvm/Support/FileSystem.h"

using namespace heddle;

static constexpr StrategyOperation operations[] = {
    {"attention", "attention b=1 hq=2 hkv=1 s=39 d=17"},
    {"attention", "attention b=2 hq=2 hkv=2 sq=70 skv=135 d=16 causal=lower_right"},
    {"attention", "attention b=1 hq=2 hkv=2 s=70 d=33 window=5,9 key_lengths=1"},
    {"attention", "attention b=2 hq=2 hkv=2 s=70 d=16 mask=qk bias=1qk empty_row=nan"},
    {"attention", "attention b=1 hq=2 hkv=2 s=35 d=16 mask=k masked_score=-1e9 softcap=5"},
    {"attention", "attention b=2 hq=2 hkv=2 sq=1 skv=135 d=33 key_lengths=1"},
    {"attention", "attention b=1 hq=4 hkv=2 sq=3 skv=70 d=16 mask=qk"},
    {"attention", "attention b=1 hq=1 hkv=1 s=40 d=16 weights=1 bias=qk"},
    {"attention", "attention b=2 hq=8 sq=13 skv=12 d=2 dv=5 layout=bshd"},
    {"attention", "attention b=1 hq=3 s=12 d=8 layout=bshd empty_row=nan"},
    {"attention", "attention b=2 hq=2 hkv=2 s=70 d=16 mask=qk empty_row=nan_to_zeros"},
    {"attention", "attention b=1 hq=2 hkv=1 sq=39 skv=135 d=16 causal=lower_right weights=1 empty_row=nan_to_zeros"},
    {"attention", "attention b=1 hq=4 hkv=2 sq=3 skv=70 d=16 bias=qk empty_row=nan_to_zeros"},
    {"attention", "attention b=2 hq=6 sq=13 skv=12 d=4 layout=bshd empty_row=nan_to_zeros"},
    // What makes a score infinite makes the value so too.
    {"attention", R"mlir(
      func.func @main(%x: tensor<1x2x20x16xf32>) -> tensor<1x2x20x16xf32> {
        %0 = heddle.attention %x, %x, %x
          : (tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>) -> tensor<1x2x20x16xf32>
        return %0 : tensor<1x2x20x16xf32>
      })mlir"},
    {"attention", R"mlir(
      func.func @main(%x: tensor<1x9x6x3xf32>) -> tensor<1x9x6x3xf32> {
        %0 = heddle.attention %x, %x, %x query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<1x9x6x3xf32>, tensor<1x9x6x3xf32>, tensor<1x9x6x3xf32>) -> tensor<1x9x6x3xf32>
        return %0 : tensor<1x9x6x3xf32>
      })mlir"},
    {"attention", R"mlir(
      func.func @main(%q: tensor<1x2x3x16xf32>, %x: tensor<1x2x70x16xf32>) -> tensor<1x2x3x16xf32> {
        %0 = heddle.attention %q, %x, %x
          : (tensor<1x2x3x16xf32>, tensor<1x2x70x16xf32>, tensor<1x2x70x16xf32>) -> tensor<1x2x3x16xf32>
        return %0 : tensor<1x2x3x16xf32>
      })mlir"},
    {"linear", "linear m=17 n=65 k=39 bias=1 residual=1 activation=gelu weights=constant"},
    {"linear", "linear m=33 n=64 k=64 activation=gelu_tanh"},
    {"linear", "linear m=1 n=70 k=135 activation=silu weights=constant"},
    {"linear", "linear m=100 n=96 k=33 activation=tanh weights=constant"},
    {"ffn", "ffn m=17 k=39 h=70 bias=1 residual=1"},
    {"ffn", "ffn m=17 k=39 h=65 gated=1 activation=silu bias=1 weights=constant"},
    {"ffn", "ffn m=128 k=39 h=70 bias=1 residual=1 weights=constant"},
    {"layer_norm", "layer_norm rows=17 d=39 residual=1"},
    {"layer_norm", "layer_norm rows=67 d=96"},
    {"rms_norm", "rms_norm rows=17 d=39"},
    {"rms_norm", "rms_norm rows=67 d=96 residual=1"},
    {"softmax", "softmax rows=17 d=39"},
    {"softmax", "softmax rows=35 d=17 axis=0"},
    {"softmax", "softmax rows=67 d=96"},
    {"linear_attention", "linear_attention b=2 h=3 sq=17 skv=39 d=15 dv=33"},
    {"linear_attention", "linear_attention b=1 h=2 s=40 d=16 normalized=1"},
    {"recurrent_attention", "recurrent_attention b=2 hq=4 hkv=2 s=17 d=15 dv=33 decay=row"},
    {"recurrent_attention", "recurrent_attention hq=2 s=40 d=64 dv=128"},
    {"rotary_embedding", "rotary_embedding b=2 h=3 s=17 d=64"},
    {"rotary_embedding", "rotary_embedding b=1 h=2 s=39 d=34 r=16 interleaved=1"},
    {"contraction", R"mlir(
      func.func @main(%a: tensor<2x17x39xf32>, %b: tensor<2x39x33xf32>) -> tensor<2x17x33xf32> {
        %zero = arith.constant 0.0 : f32
        %empty = tensor.empty() : tensor<2x17x33xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x17x33xf32>) -> tensor<2x17x33xf32>
        %0 = linalg.batch_matmul ins(%a, %b : tensor<2x17x39xf32>, tensor<2x39x33xf32>)
                                 outs(%zeros : tensor<2x17x33xf32>) -> tensor<2x17x33xf32>
        return %0 : tensor<2x17x33xf32>
      })mlir"},
    {"general", R"mlir(
      func.func @main(%a: tensor<17x39xf32>, %b: tensor<17x39xf32>) -> tensor<17x39xf32> {
        %0 = math.tanh %a : tensor<17x39xf32>
        %1 = arith.mulf %0, %b : tensor<17x39xf32>
        %2 = arith.maximumf %1, %a : tensor<17x39xf32>
        return %2 : tensor<17x39xf32>
      })mlir"},
};

llvm::ArrayRef<StrategyOperation> EveryStrategy::operations() { return ::operations; }

std::vector<unsigned> EveryStrategy::numbersFor(llvm::StringRef target) {
  std::vector<unsigned> numbers;
  for (auto [number, strategy] : llvm::enumerate(embeddedStrategies()))
    if (strategy.target == target)
      numbers.push_back(number);
  return numbers;
}

namespace {
/// Text in a file that goes with this object.
struct TemporaryFile {
  TemporaryFile(llvm::StringRef text) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("heddle", "mlir", path));
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    EXPECT_FALSE(error);
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  llvm::SmallString<128> path;
};
} // namespace

/// Whether the strategy took the operation; the reason why not is in `reason`.
bool EveryStrategy::check(const StrategyOperation &operation, llvm::StringRef choice) {
  SCOPED_TRACE(operation.text.str());
  bool module = operation.text.contains("func.func");
  TemporaryFile file(module ? operation.text : "");
  auto model = importModel(context, module ? file.path.str() : llvm::StringRef(operation.text));
  EXPECT_TRUE(succeeded(model));
  if (failed(model))
    return false;
  mlir::OwningOpRef<mlir::ModuleOp> imported = model->module->clone();
  WeightStore weights = model->weights;
  CompileOptions options;
  options.target.device = device ? "vulkan" : "cpu";
  options.strategies = {(operation.op + "=" + choice).str()};
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto compiled = compileModel(std::move(*model), options);
  if (failed(compiled)) {
    EXPECT_TRUE(llvm::StringRef(errors).starts_with("strategy ")) << errors;
    reason = errors;
    return false;
  }
  auto session = loadHere(std::move(*compiled), "model", "", device);
  if (!session) {
    ADD_FAILURE() << llvm::toString(session.takeError());
    return false;
  }
  auto main = imported->lookupSymbol<mlir::func::FuncOp>("main");
  auto cases = adversarialInputs(main, 1);
  EXPECT_TRUE(succeeded(cases));
  EXPECT_GE(cases->size(), 7u);
  for (const InputCase &test : *cases)
    judge(**session, main, test, weightsFrom(weights));
  EXPECT_EQ(errors, "");
  return true;
}

void EveryStrategy::judge(Session &session, mlir::func::FuncOp main, const InputCase &test,
                          const WeightSource &weights) {
  SCOPED_TRACE(test.name);
  auto reference = computeReference(main, test.inputs, weights);
  ASSERT_TRUE(succeeded(reference));
  auto alone = callWith(session, test.inputs, nullptr);
  EXPECT_EQ(alone, callWith(session, test.inputs, executor)) << "two threads give other bits than one";
  for (auto [i, bytes] : llvm::enumerate(alone)) {
    const Tensor &wide = reference->wide[i];
    auto actual = Tensor::fromBytes(wide.shape(), wide.elementType(), bytes);
    ASSERT_TRUE(succeeded(actual));
    int64_t dropped = dropOverflows(*actual, *reference, i);
    EXPECT_LE(dropped, wide.size() / 2) << "hardly anything is left to judge";
    Comparison comparison = compare(resultName(main, i), *actual, reference->wide[i], reference->narrow[i]);
    EXPECT_TRUE(comparison.ok) << comparison.text();
  }
}

void EveryStrategy::checkStrategy(unsigned step) {
  context.loadAllAvailableDialects();
  auto strategy = parseStrategy(context, embedded().name, embedded().text);
  ASSERT_TRUE(succeeded(strategy));
  // What asks for large results is tried on small ones.
  std::string text = embedded().text.str(), choice = embedded().name.str();
  std::unique_ptr<TemporaryFile> file;
  if (size_t at = text.find("at_least("); at != std::string::npos) {
    text.replace(at, text.find(')', at) - at, "at_least(1");
    file = std::make_unique<TemporaryFile>(text);
    choice = file->path.str().str();
  }
  unsigned tried = 0, number = 0;
  for (const StrategyOperation &operation : operations())
    if (operation.op == strategy->op && number++ % step == step / 2)
      tried += check(operation, choice);
  if (!tried && llvm::StringRef(reason).contains("which this CPU lacks"))
    GTEST_SKIP() << reason;
  EXPECT_GT(tried, 0u) << "no operation of this test is for it: " << reason;
}
